package io.paxoslease.consensus;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;

/**
 * A leader oracle from a lease: contends for it, renews it while it is held, and contends again when it is lost. To be closed;
 * another client leads when the lease has been released, or has run out. Thread-safe.
 */
public final class LeaseOracle implements LeaderOracle, AutoCloseable {

    private final LeaderElection election;

    /**
     * Starts to contend.
     *
     * @param node started before, and stopped after this is closed
     * @param resource the lease's name, the same at every client
     */
    public LeaseOracle(PaxosLease node, String resource) {
        election = LeaderElection.builder(node, resource).resource(resource).build(new Silent());
        election.start();
    }

    /** Whether the lease is held: compares its deadline with the clock at each call. */
    @Override
    public boolean isLeader() {
        return election.isLeader();
    }

    /** Contends no more, and releases the lease. */
    @Override
    public void close() {
        election.close();
    }

    private static final class Silent implements LeaderCandidate {
        @Override
        public void onGranted(Leadership leadership) {}

        @Override
        public void onRevoked(Leadership leadership) {}
    }
}
