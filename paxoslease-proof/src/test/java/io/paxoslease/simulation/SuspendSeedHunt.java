package io.paxoslease.simulation;

import java.util.List;
import java.util.function.Supplier;

/** The same as {@link SeedHunt} for cells whose machines are suspended in the middle of renewals. */
public final class SuspendSeedHunt implements Supplier<List<String>> {

    private static final long SEEDS = 200;

    @Override
    public List<String> get() {
        return SeedHunt.firstOf(SuspendDraw::of, SEEDS);
    }
}
