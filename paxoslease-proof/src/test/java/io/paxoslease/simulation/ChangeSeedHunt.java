package io.paxoslease.simulation;

import java.util.List;
import java.util.function.Supplier;

/** The same as {@link SeedHunt} in cells whose members change, by restarts or while they run. */
public final class ChangeSeedHunt implements Supplier<List<String>> {

    private static final long SEEDS = 250;

    /** @return the first such seed, and how its trace ends; nothing when there is none */
    @Override
    public List<String> get() {
        return SeedHunt.firstOf(ChangeDraw::changing, SEEDS);
    }
}
