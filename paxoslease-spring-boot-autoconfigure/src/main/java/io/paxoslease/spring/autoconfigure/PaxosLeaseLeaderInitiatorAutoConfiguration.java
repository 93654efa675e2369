package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.ElectionFactory;
import io.paxoslease.spring.leader.InitiatorElectionFactory;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator;
import io.paxoslease.spring.leader.RoleEndpoints;
import io.paxoslease.spring.leader.RolePollers;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.support.SmartLifecycleRoleController;

/** Runs the elections of roles through {@link PaxosLeaseLeaderInitiator}, which publishes leader events. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class)
@ConditionalOnClass(Candidate.class)
@ConditionalOnBooleanProperty(name = "paxoslease.enabled", matchIfMissing = true)
public final class PaxosLeaseLeaderInitiatorAutoConfiguration {

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
