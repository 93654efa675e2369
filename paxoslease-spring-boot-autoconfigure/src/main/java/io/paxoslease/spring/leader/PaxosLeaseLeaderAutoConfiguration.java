package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.runs.RunLog;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.support.SmartLifecycleRoleController;

/**
 * Guards {@link OnLeader} beans, and elects the leaders of their roles.
 *
 * <p>It is not conditional on a {@link PaxosLease} bean: without one, an application with {@code @OnLeader} methods
 * fails to start instead of running them on every node.
 */
@AutoConfiguration(
        afterName = {
            "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration",
            "org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "paxoslease.enabled", matchIfMissing = true)
public final class PaxosLeaseLeaderAutoConfiguration {

    // Looks its collaborators up late: it is created together with the first bean with an @OnLeader method.
    @Bean
    @ConditionalOnMissingBean
    LeaderElections leaderElections(
            ObjectProvider<ElectionFactory> factory,
            ObjectProvider<PaxosLease> node,
            ObjectProvider<ElectionSettings> settings,
            ApplicationEventPublisher publisher,
            ObjectProvider<HealthGroups> groups) {
        return new LeaderElections(
                factory.getIfAvailable(() -> ElectionFactory.plain(node::getObject)),
                settings.getIfAvailable(ElectionSettings::defaults),
                groups,
                publisher);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(PaxosLease.class)
    @Lazy(false) // no bean depends on it
    LeaderWatches leaderWatches(
            LeaderElections elections,
            ObjectProvider<PaxosLease> node,
            ObjectProvider<ElectionSettings> settings,
            ApplicationEventPublisher publisher) {
        ElectionSettings known = settings.getIfAvailable(ElectionSettings::defaults);
        return new LeaderWatches(node::getIfUnique, elections, publisher, known.phase());
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT) // each context stops its own beans
    BackgroundStops leaderBackgroundStops() {
        return new BackgroundStops();
    }

    @Bean
    @Lazy(false) // no bean depends on it
    StopBarrier leaderElectionsStopBarrier(BackgroundStops stops, ObjectProvider<ElectionSettings> settings) {
        ElectionSettings known = settings.getIfAvailable(ElectionSettings::defaults);
        int next = Math.max(known.phase(), Integer.MIN_VALUE + 1) - 1;
        return new StopBarrier(next, known.stopTimeout(), stops);
    }

    /** For initiators with a phase of their own. */
    @Bean
    @Lazy(false) // no bean depends on it
    StopBarrier leaderNodeStopBarrier(BackgroundStops stops, ObjectProvider<ElectionSettings> settings) {
        ElectionSettings known = settings.getIfAvailable(ElectionSettings::defaults);
        return new StopBarrier(StopBarrier.PHASE_OF_NODE, known.stopTimeout(), stops);
    }

    @Bean
    @ConditionalOnMissingBean
    LeaderLocator leaderLocator(
            LeaderElections elections, ObjectProvider<PaxosLease> node, ObjectProvider<ElectionSettings> settings) {
        ElectionSettings known = settings.getIfAvailable(ElectionSettings::defaults);
        NodeUrls urls = new NodeUrls(known.urls(), node::getObject);
        return new LeaderLocator(elections, node::getObject, urls);
    }

    @Bean
    @ConditionalOnBean(value = LeaderElections.class, search = SearchStrategy.CURRENT)
    LeadershipStart leadershipStart(
            ApplicationContext context,
            ObjectProvider<LeaderElections> elections,
            ObjectProvider<ElectionSettings> settings) {
        ElectionSettings known = settings.getIfAvailable(ElectionSettings::defaults);
        return new LeadershipStart(context, elections, known.startsReady());
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

    /** Elections that publish the leader events of Spring Integration. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Candidate.class)
    static class Initiators {

        @Bean
        @ConditionalOnMissingBean(ElectionFactory.class)
        InitiatorElectionFactory initiatorElectionFactory(
                ObjectProvider<PaxosLease> node,
                ApplicationEventPublisher publisher,
                ObjectProvider<PaxosLeaseLeaderInitiator> initiators) {
            return new InitiatorElectionFactory(node::getObject, publisher, initiators);
        }

        /** A parent's would hear an event after the controller of this context. */
        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        RolePollers rolePollers(
                ObjectProvider<LeaderElections> elections, ObjectProvider<SmartLifecycleRoleController> controllers) {
            return new RolePollers(elections, controllers);
        }

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        RoleEndpoints roleEndpoints(ObjectProvider<SmartLifecycleRoleController> controllers) {
            return new RoleEndpoints(controllers);
        }
    }

    /** Lets roles require a group of the application's health. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthEndpoint.class, HealthEndpointGroups.class})
    static class Health {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean({HealthEndpoint.class, HealthEndpointGroups.class})
        HealthGroups paxosLeaseHealthGroups(HealthEndpoint endpoint, HealthEndpointGroups groups) {
            return new ActuatorHealthGroups(endpoint, groups);
        }
    }
}
