package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.LeaderElection;
import java.util.Optional;
import java.util.function.Supplier;

/** Creates the elections of {@link LeaderElections}. Called once for each role; thread-safe. */
@FunctionalInterface
interface ElectionFactory {

    /**
     * A new election for the role, not started, that notifies the role of grants and revocations.
     *
     * @throws IllegalArgumentException if the role's name is too long
     */
    LeaderElection create(LeaderRole role);

    /** The role's election if another bean runs it already: two in one application would compete. */
    default Optional<LeaderElection> existing(String role) {
        return Optional.empty();
    }

    /** Elections that publish no events of Spring Integration, for applications without it. */
    static ElectionFactory plain(Supplier<PaxosLease> node) {
        return role -> LeaderElection.builder(node.get(), role.name())
                .options(role.options())
                .build(new HookedCandidate(role));
    }
}
