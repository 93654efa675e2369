package io.paxoslease.simulation;

/** Looks for a seed whose cell goes wrong because its machines are suspended in the middle of renewals. */
public final class SuspendSeedHunt extends SeedHunt {

    public SuspendSeedHunt() {
        super(SuspendDraw::of, 200);
    }
}
