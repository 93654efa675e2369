package io.paxoslease.simulation;

import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;

/** The algorithm that a run is about: makes its nodes, looks into them, and judges what they remember. */
interface Subject {

    /** The one of this run. */
    HistoryChecker checker();

    /**
     * A node as production makes it.
     *
     * @param memoryLostAt when the process started, or an earlier life of the node in it ended; another process may have served since
     */
    LeaseAlgorithm newNode(SimulatedNode node, Timing timing, Moment memoryLostAt, Reading now);

    /**
     * Watches what that node remembers.
     *
     * @param watches whether the node is an acceptor at all, in a cell of several
     */
    MemoryWatch watch(SimulatedNode node, boolean watches);

    static Subject of(World world) {
        return world.scenario().isFlease() ? new FleaseSubject(world) : new PaxosLeaseSubject(world);
    }
}
