package io.paxoslease.interleaving;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs a scenario in one order after the other. */
public final class Interleavings {

    private Interleavings() {}

    /**
     * What went wrong.
     *
     * @param seed of the order in which it did
     * @param tried how many orders it took
     */
    public record Finding(long seed, int tried, String what) {}

    /** The first of these orders in which something goes wrong; null when it does in none. */
    public static @Nullable Finding hunt(Supplier<InterleavingScenario> scenarios, long firstSeed, int orders) {
        for (int i = 0; i < orders; i++) {
            String wrong = Scheduler.run(() -> scenarios.get().run(), firstSeed + i, null);
            if (wrong != null) {
                return new Finding(firstSeed + i, i + 1, wrong);
            }
        }
        return null;
    }

    /** By a scenario: from here on every order is possible, or again only the one in which each thread goes on as long as it can. */
    public static void vary(boolean orders) {
        Scheduler scheduler = Scheduler.current();
        if (scheduler != null) {
            scheduler.schedule().calm(!orders);
        }
    }

    /** By a scenario: waits until no other thread can go on. */
    public static void settle() {
        Scheduler scheduler = Scheduler.current();
        if (scheduler != null) {
            scheduler.settle();
        }
    }

    /** Runs one order, and notes every switch. Null when nothing goes wrong. */
    public static @Nullable String replay(
            Supplier<InterleavingScenario> scenarios, long seed, InterleavingTrace trace) {
        return Scheduler.run(() -> scenarios.get().run(), seed, trace);
    }
}
