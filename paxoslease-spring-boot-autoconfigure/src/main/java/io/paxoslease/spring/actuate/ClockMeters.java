package io.paxoslease.spring.actuate;

import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.monitor.NodeStatus;

/** The meters of wall clocks, on a node that runs Flease. */
final class ClockMeters {

    private ClockMeters() {}

    static void bind(NodeMeters meters) {
        meters.gauge(
                "paxoslease.clock.within.bound",
                null,
                "1 if this node's wall clock is within the bound, so that the node takes part; otherwise 0",
                meters.figures().of(ClockMeters::withinBound));
        FleaseOptions flease = (FleaseOptions) meters.node().options().algorithm();
        meters.time(
                "paxoslease.clock.bound",
                "Largest allowed difference between the wall clocks of two nodes",
                node -> flease.clockBound().toNanos());
    }

    private static double withinBound(NodeStatus status) {
        NodeStatus.Quarantine quarantine = status.quarantine();
        boolean out = quarantine != null && quarantine.reason() == NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS;
        return out ? 0 : 1;
    }
}
