package io.paxoslease.testing;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Timing;

/** The protocol's times, as a node computes them from its options. */
public final class Timings {

    private Timings() {}

    public static Timing of(PaxosLeaseOptions options) {
        return new Timing(options.maxLeaseTime(), options.clockDrift());
    }
}
