package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseProperties.Leadership.Start;
import io.paxoslease.spring.leader.ElectionFactory;
import io.paxoslease.spring.leader.ElectionSettings;
import io.paxoslease.spring.leader.HealthGroups;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.LeaderLocator;
import io.paxoslease.spring.leader.LeadershipListenerFactory;
import io.paxoslease.spring.leader.ListenerHandover;
import io.paxoslease.spring.leader.MissedRuns;
import io.paxoslease.spring.leader.NodeUrls;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.OnLeaderPostProcessor;
import io.paxoslease.spring.runs.RunLog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/**
 * Guards {@link OnLeader} beans, and elects the leaders of their roles.
 *
 * <p>It is not conditional on a {@link PaxosLease} bean: without one, an application with {@code @OnLeader} methods
 * fails to start instead of running them on every node.
 */
@AutoConfiguration(after = {PaxosLeaseAutoConfiguration.class, PaxosLeaseLeaderInitiatorAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "paxoslease.enabled", matchIfMissing = true)
public final class PaxosLeaseLeaderAutoConfiguration {

    // Looks its collaborators up late: it is created together with the first bean with an @OnLeader method.
    @Bean
    @ConditionalOnMissingBean
    LeaderElections leaderElections(
            ObjectProvider<ElectionFactory> factory,
            ObjectProvider<PaxosLease> node,
            ObjectProvider<PaxosLeaseProperties> properties,
            ObjectProvider<PaxosLeaseConnectionDetails> connections,
            ApplicationEventPublisher publisher,
            ObjectProvider<HealthGroups> groups,
            ObjectProvider<LifecycleProperties> lifecycle) {
        Duration phase = lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase();
        // A little less than the container waits for the whole phase, so that the stop completes before it gives up.
        Duration stopTimeout = phase.multipliedBy(9).dividedBy(10);
        PaxosLeaseProperties known = properties.getIfAvailable();
        Integer chosen = known == null ? null : known.phase();
        ElectionSettings settings = new ElectionSettings(
                known == null
                        ? Map.of()
                        : CellDetails.before(known, connections).toRoleSettings(),
                chosen == null ? ElectionSettings.DEFAULT_PHASE : chosen,
                true,
                new ConfiguredHealthChecks(groups),
                stopTimeout);
        return new LeaderElections(
                factory.getIfAvailable(() -> ElectionFactory.plain(node::getObject)), settings, publisher);
    }

    @Bean
    @ConditionalOnMissingBean
    LeaderLocator leaderLocator(
            LeaderElections elections,
            ObjectProvider<PaxosLease> node,
            ObjectProvider<PaxosLeaseProperties> properties) {
        PaxosLeaseProperties known = properties.getIfAvailable();
        NodeUrls urls = known == null ? id -> Optional.empty() : new ConfiguredNodeUrls(known.http(), node::getObject);
        return new LeaderLocator(elections, node::getObject, urls);
    }

    @Bean
    @ConditionalOnBean(value = LeaderElections.class, search = SearchStrategy.CURRENT)
    LeadershipStart leadershipStart(
            ApplicationContext context,
            ObjectProvider<LeaderElections> elections,
            ObjectProvider<PaxosLeaseProperties> properties) {
        PaxosLeaseProperties known = properties.getIfAvailable();
        return new LeadershipStart(
                context,
                elections,
                known == null ? Start.READY : known.leadership().start());
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT) // a parent's does not see this context's beans
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeadershipListenerFactory leadershipListenerFactory(ObjectProvider<LeaderElections> elections) {
        return new LeadershipListenerFactory(elections);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT) // a parent's does not see this context's beans
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OnLeaderPostProcessor onLeaderPostProcessor(
            ObjectProvider<LeaderElections> elections,
            ObjectProvider<ListenerHandover> listeners,
            ObjectProvider<MissedRuns> missed) {
        return new OnLeaderPostProcessor(elections, listeners, missed);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    MissedRuns missedRuns(ObjectProvider<RunLog> log, ObjectProvider<PaxosLease> node, BeanFactory beans) {
        return new MissedRuns(log, node, beans);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    ListenerHandover listenerHandover(ListableBeanFactory beans) {
        return new ListenerHandover(beans);
    }
}
