package io.paxoslease.clusters;

import io.paxoslease.clusters.StorageCell.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Random faults of a store and of the instances that meet in it, one of each at a time, sometimes both. The same by default; {@code
 * -Dchaos.seed=S} for other ones, {@code -Dchaos.faults=100} for more.
 */
final class StorageChaos {

    /** What happens to the store, or to an instance, and ends. */
    record Kind<T>(String name, Duration shortest, Duration longest, Effect<T> begin, Effect<T> end) {

        Kind(String name, Duration longest, Effect<T> begin, Effect<T> end) {
            this(name, Duration.ZERO, longest, begin, end);
        }

        /** On the store, or on an instance. */
        @FunctionalInterface
        interface Effect<T> {
            void on(T victim);
        }
    }

    private record Drawn<T>(Kind<T> kind, T victim, int millis) {

        void begin() {
            kind.begin().on(victim);
        }

        void end() {
            kind.end().on(victim);
        }

        @Override
        public String toString() {
            return "%s of %s for %d ms".formatted(kind.name(), victim, millis);
        }
    }

    static final Kind<Instance> KILL = new Kind<>("kill", Duration.ofSeconds(2), Instance::kill, Instance::start);
    static final Kind<Instance> STOP =
            new Kind<>("stop", Duration.ofSeconds(1), Instance::terminate, Instance::restart);

    static Kind<Instance> pause(Duration longest) {
        return pause(Duration.ZERO, longest);
    }

    static Kind<Instance> pause(Duration shortest, Duration longest) {
        return new Kind<>("pause", shortest, longest, Instance::pause, Instance::unpause);
    }

    private final StorageCell cell;
    private final int faults;
    private final List<Kind<Instance>> kinds;
    private final long seed = Long.getLong("chaos.seed", 1);
    private final SplittableRandom random = new SplittableRandom(seed);
    private final List<String> done = new ArrayList<>();

    /** @param faults how many, unless the property says so */
    StorageChaos(StorageCell cell, int faults, List<Kind<Instance>> kinds) {
        this.cell = cell;
        this.faults = Integer.getInteger("chaos.faults", faults);
        this.kinds = kinds;
    }

    /**
     * Draws all of them, and makes them happen.
     *
     * @param ofStores what happens to a store
     * @param stores one at a time has a fault
     */
    <S> void happen(List<Kind<S>> ofStores, List<S> stores) {
        Bag<Kind<Instance>> instanceKinds = new Bag<>(kinds);
        Bag<Kind<S>> storeKinds = new Bag<>(ofStores);
        for (int i = 0; i < faults; i++) {
            Instance leader = cell.leader();
            boolean ofStore = !stores.isEmpty() && random.nextBoolean();
            List<Drawn<?>> next = new ArrayList<>();
            if (ofStore) {
                next.add(draw(storeKinds.next(), any(stores)));
            }
            if (!ofStore || random.nextInt(3) == 0) {
                next.add(draw(instanceKinds.next(), random.nextInt(3) > 0 ? leader : any(cell.instances())));
            }
            happen(next);
        }
    }

    /** Gives each kind once, in a drawn order, before it gives one again. */
    private final class Bag<K> {

        private final List<K> all;
        private final List<K> left = new ArrayList<>();

        Bag(List<K> all) {
            this.all = all;
        }

        K next() {
            if (left.isEmpty()) {
                left.addAll(all);
            }
            return left.remove(random.nextInt(left.size()));
        }
    }

    private <T> T any(List<T> among) {
        return among.get(random.nextInt(among.size()));
    }

    private <T> Drawn<T> draw(Kind<T> kind, T victim) {
        return new Drawn<>(kind, victim, random.nextInt(millis(kind.shortest()), millis(kind.longest())));
    }

    private static int millis(Duration duration) {
        return Math.toIntExact(duration.toMillis());
    }

    private void happen(List<Drawn<?>> faults) {
        done.add(faults.toString());
        long begin = System.nanoTime();
        faults.forEach(Drawn::begin);
        faults.forEach(each -> {
            long over = begin + Duration.ofMillis(each.millis()).toNanos();
            Wait.until(each + " is over", () -> System.nanoTime() - over >= 0);
            each.end();
        });
    }

    /** What was drawn, for a report. */
    @Override
    public String toString() {
        return done.stream().collect(Collectors.joining("\n  ", "-Dchaos.seed=%d:%n  ".formatted(seed), "\n"));
    }
}
