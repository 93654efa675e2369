package io.paxoslease.simulation;

/** Looks for a seed whose cell of Flease goes wrong. */
public final class FleaseSeedHunt extends SeedHunt {

    public FleaseSeedHunt() {
        super(FleaseDraw::of, 600);
    }
}
