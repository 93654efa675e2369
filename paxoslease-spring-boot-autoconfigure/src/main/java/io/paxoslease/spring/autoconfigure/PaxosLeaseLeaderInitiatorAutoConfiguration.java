package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.ElectionFactory;
import io.paxoslease.spring.leader.InitiatorElectionFactory;
import io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.leader.Candidate;

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
}
