package io.paxoslease.simulation;

import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Looks for a seed whose simulated cell goes wrong; for classes that have been made wrong on purpose. */
public class SeedHunt implements Supplier<List<String>>, LongFunction<List<String>> {

    private final LongFunction<Scenario> draw;
    private final long seeds;

    /** Cells whose members stay. */
    public SeedHunt() {
        this(ScenarioDraw::of, 400);
    }

    /** @param seeds how many are tried */
    SeedHunt(LongFunction<Scenario> draw, long seeds) {
        this.draw = draw;
        this.seeds = seeds;
    }

    /** @return the first seed whose cell goes wrong, and how its trace ends; nothing when there is none */
    @Override
    public final List<String> get() {
        for (long seed = 0; seed < seeds; seed++) {
            List<String> found = apply(seed);
            if (!found.isEmpty()) {
                return found;
            }
        }
        return List.of();
    }

    /** @return that seed, and how its trace ends; nothing when its cell does not go wrong */
    @Override
    public final List<String> apply(long seed) {
        String violation = Simulation.violation(draw, seed);
        if (violation == null) {
            return List.of();
        }
        String[] lines = violation.split("\\R", -1);
        return List.of(Long.toString(seed), lines[lines.length - 1]);
    }
}
