package io.paxoslease.simulation;

/** Looks for a seed whose cell goes wrong while its members change, by restarts or while they run. */
public final class ChangeSeedHunt extends SeedHunt {

    public ChangeSeedHunt() {
        super(ChangeDraw::changing, 250);
    }
}
