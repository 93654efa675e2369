package io.paxoslease.simulation;

import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Looks for a seed whose simulated cell goes wrong; for classes that have been made wrong on purpose. */
public final class SeedHunt implements Supplier<List<String>> {

    private static final long SEEDS = 400;

    /** @return the first such seed, and how its trace ends; nothing when there is none */
    @Override
    public List<String> get() {
        return firstOf(ScenarioDraw::of, SEEDS);
    }

    static List<String> firstOf(LongFunction<Scenario> draw, long seeds) {
        for (long seed = 0; seed < seeds; seed++) {
            String violation = Simulation.violation(draw, seed);
            if (violation != null) {
                String[] lines = violation.split("\\R", -1);
                return List.of("seed " + seed, lines[lines.length - 1]);
            }
        }
        return List.of();
    }
}
