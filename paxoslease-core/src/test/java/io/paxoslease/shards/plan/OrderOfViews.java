package io.paxoslease.shards.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Two observers that list the participants in different orders, and whether their plans differ. */
public class OrderOfViews implements Supplier<List<String>> {

    @Override
    public List<String> get() {
        List<String> found = new ArrayList<>();
        for (long seed = 0; seed < 20; seed++) {
            List<Seat> seats = new ArrayList<>(IntStream.range(0, 7)
                    .mapToObj(i -> new Seat("n" + i, Seat.Place.PREFERRED, 100, true))
                    .toList());
            List<@Nullable String> first = targets(seats);
            Collections.shuffle(seats, new Random(seed));
            if (!targets(seats).equals(first)) {
                found.add("seed %d: another plan for %s".formatted(seed, seats));
            }
        }
        return found;
    }

    /** The loads are equal, so the order of nodes decides who gets the larger share, and ties of the short form of weights. */
    private static List<@Nullable String> targets(List<Seat> seats) {
        Plan plan = Plan.of("g", seats, new String[100], new BitSet(), new BitSet());
        List<@Nullable String> targets = new ArrayList<>();
        IntStream.range(0, 100).forEach(shard -> targets.add(plan.target(shard)));
        return targets;
    }
}
