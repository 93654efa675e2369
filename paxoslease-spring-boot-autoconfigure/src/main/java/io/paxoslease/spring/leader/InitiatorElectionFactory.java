package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.LeaderElection;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

/**
 * Elections that publish Spring Integration's leader events, each through its own initiator, or through the initiator
 * bean of the role.
 */
final class InitiatorElectionFactory implements ElectionFactory {

    private final Supplier<PaxosLease> node;
    private final ApplicationEventPublisher publisher;
    private final ObjectProvider<PaxosLeaseLeaderInitiator> beans;

    InitiatorElectionFactory(
            Supplier<PaxosLease> node,
            ApplicationEventPublisher publisher,
            ObjectProvider<PaxosLeaseLeaderInitiator> beans) {
        this.node = node;
        this.publisher = publisher;
        this.beans = beans;
    }

    @Override
    public Optional<LeaderElection> existing(String role) {
        return beans.stream()
                .filter(initiator -> initiator.roleName().equals(role))
                .map(PaxosLeaseLeaderInitiator::election)
                .findFirst();
    }

    @Override
    public LeaderElection create(LeaderRole role) {
        PaxosLease member = node.get();
        RoleCandidate candidate = new RoleCandidate(member.monitor().options().nodeId(), role.name());
        PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(member, candidate, role.options());
        initiator.setApplicationEventPublisher(publisher);
        initiator.setRole(role);
        return initiator.election();
    }

    /** Does nothing: {@link OnLeader} methods check the election, and listeners receive the events. */
    private static final class RoleCandidate extends AbstractCandidate {

        RoleCandidate(String id, String role) {
            super(id, role);
        }

        @Override
        public void onGranted(Context context) {}

        @Override
        public void onRevoked(Context context) {}
    }
}
