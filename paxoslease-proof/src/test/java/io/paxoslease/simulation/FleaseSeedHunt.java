package io.paxoslease.simulation;

import java.util.List;
import java.util.function.Supplier;

/** The same as {@link SeedHunt} for cells that run Flease. */
public final class FleaseSeedHunt implements Supplier<List<String>> {

    @Override
    public List<String> get() {
        return SeedHunt.firstOf(FleaseDraw::of, 600);
    }
}
