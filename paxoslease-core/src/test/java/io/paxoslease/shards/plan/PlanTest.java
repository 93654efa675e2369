package io.paxoslease.shards.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.shards.plan.Seat.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Properties of every plan, over drawn groups of 1 to 1,024 shards and 1 to 50 instances. A failure names its seed. */
class PlanTest {

    private static final int RUNS = 300;
    private static final BitSet NONE = new BitSet();

    /** A group: participants with any load, shards that are free, unknown, or held by a node that is no participant. */
    private static final class Drawn {
        final Random random;
        final List<Seat> seats = new ArrayList<>();
        final @Nullable String[] owners;
        final BitSet unknown = new BitSet();
        private final Map<String, Integer> loads = new HashMap<>();
        final BitSet pinned = new BitSet();

        Drawn(long seed, boolean isCalm) {
            random = new Random(seed);
            int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 1_024 : 128);
            int m = 1 + random.nextInt(random.nextInt(10) == 0 ? 50 : 12);
            boolean isCapped = random.nextInt(4) == 0;
            for (int i = 0; i < m; i++) {
                Place place = isCalm || random.nextInt(4) > 0 ? Place.PREFERRED : draw(Place.values());
                int max = isCapped ? 1 + random.nextInt(1 + 2 * count / m) : count;
                seats.add(new Seat("n" + i, place, max, place == Place.PREFERRED));
            }
            owners = new String[count];
            int used = 1 + random.nextInt(m);
            int free = random.nextInt(3);
            for (int shard = 0; shard < count; shard++) {
                int one = random.nextInt(free == 0 ? used : 2 * used);
                owners[shard] = one < used ? fitting("n" + one) : free == 1 ? null : fitting("n0");
                if (!isCalm) {
                    unknown.set(shard, owners[shard] == null && random.nextInt(10) == 0);
                    pinned.set(shard, random.nextInt(10) == 0);
                    owners[shard] = random.nextInt(20) == 0 ? "stranger" : owners[shard];
                }
            }
            Collections.shuffle(seats, random);
        }

        private Place draw(Place[] places) {
            return places[random.nextInt(places.length)];
        }

        /** That node, if it accepts one more. */
        private @Nullable String fitting(String node) {
            int max = seats.get(Integer.parseInt(node.substring(1))).maxOwned();
            return loads.merge(node, 1, Integer::sum) <= max ? node : null;
        }

        int held(String node) {
            return (int) Arrays.stream(owners).filter(node::equals).count();
        }

        @SuppressWarnings("NullAway") // javac 17 does not read annotations of type arguments from class files
        Plan plan() {
            return Plan.of("g", seats, owners, unknown, pinned);
        }

        /** Claims what is to be placed; the plan after that balances. */
        Plan placed() {
            Plan plan = plan();
            IntStream.range(0, owners.length).filter(plan::isPlaced).forEach(shard -> execute(shard, plan));
            return plan();
        }

        /** Carries out one step of the plan. */
        void execute(int shard, Plan plan) {
            owners[shard] = Objects.requireNonNull(plan.target(shard));
        }
    }

    private static List<@Nullable String> targets(Plan plan, int count) {
        List<@Nullable String> targets = new ArrayList<>();
        IntStream.range(0, count).forEach(shard -> targets.add(plan.target(shard)));
        return targets;
    }

    @Test
    void equalViewsGiveEqualPlansInAnyOrder() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, false);
            Plan plan = drawn.plan();
            Collections.shuffle(drawn.seats, drawn.random);
            Plan again = drawn.plan();
            assertThat(targets(again, drawn.owners.length))
                    .as("seed %d", seed)
                    .isEqualTo(targets(plan, drawn.owners.length));
            assertThat(again.moves()).as("seed %d", seed).isEqualTo(plan.moves());
        }
    }

    /** Each balancing participant has as many as the others or one more, as far as it accepts them. */
    @Test
    void theLoadsDifferByOneAtMost() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, true);
            Plan plan = drawn.placed();
            List<@Nullable String> targets = targets(plan, drawn.owners.length);
            int highest = 0;
            int lowest = Integer.MAX_VALUE;
            for (Seat seat : drawn.seats) {
                int load = Collections.frequency(targets, seat.node());
                assertThat(load).as("seed %d %s", seed, seat).isLessThanOrEqualTo(seat.maxOwned());
                highest = Math.max(highest, load);
                lowest = Math.min(lowest, load < seat.maxOwned() ? load : Integer.MAX_VALUE);
            }
            assertThat(highest)
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(lowest == Integer.MAX_VALUE ? highest : lowest + 1);
        }
    }

    /** What no participant accepts stays without an owner, and nothing else does. */
    @Test
    void allShardsArePlacedAsFarAsThereIsRoom() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, true);
            int room = drawn.seats.stream().mapToInt(Seat::maxOwned).sum();
            assertThat(drawn.plan().unplaced().cardinality())
                    .as("seed %d", seed)
                    .isEqualTo(Math.max(0, drawn.owners.length - room));
        }
    }

    @Test
    void freeShardsMoveNoOther() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, false);
            drawn.seats.replaceAll(seat -> new Seat(seat.node(), seat.place(), seat.maxOwned(), false));
            Plan plan = drawn.plan();
            assertThat(plan.moves()).isEmpty();
            for (int shard = 0; shard < drawn.owners.length; shard++) {
                String owner = drawn.owners[shard];
                boolean leaves = drawn.seats.stream()
                        .anyMatch(seat -> seat.node().equals(owner) && seat.place() == Place.LEAVES);
                if (owner != null && !leaves && !owner.equals("stranger")) {
                    assertThat(plan.target(shard))
                            .as("seed %d shard %d", seed, shard)
                            .isEqualTo(owner);
                }
            }
        }
    }

    /** Only what is above the share has to move: the larger shares go to those that have them. */
    @Test
    void noPlanMovesMoreThanArithmeticDemands() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, true);
            drawn.seats.replaceAll(seat -> new Seat(seat.node(), seat.place(), drawn.owners.length, true));
            int m = drawn.seats.size();
            Plan plan = drawn.placed();
            int floor = drawn.owners.length / m;
            int larger = drawn.owners.length % m;
            int excess = 0;
            int above = 0;
            for (Seat seat : drawn.seats) {
                int held = drawn.held(seat.node());
                excess += Math.max(0, held - floor);
                above += held > floor ? 1 : 0;
            }
            assertThat(plan.moves()).as("seed %d", seed).hasSize(excess - Math.min(above, larger));
        }
    }

    @Test
    void carryingOutAPartLeavesTheRestAsItWas() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, true);
            Plan plan = seed % 2 == 0 ? drawn.plan() : drawn.placed();
            List<@Nullable String> targets = targets(plan, drawn.owners.length);
            List<Integer> steps =
                    new ArrayList<>(plan.moves().stream().map(Plan.Move::shard).toList());
            IntStream.range(0, drawn.owners.length).filter(plan::isPlaced).forEach(steps::add);
            Collections.shuffle(steps, drawn.random);
            for (int i = 0; i < steps.size(); i++) {
                drawn.execute(steps.get(i), plan);
                if (i % 7 == 0 && i < steps.size() - 1) {
                    assertThat(targets(drawn.plan(), drawn.owners.length))
                            .as("seed %d step %d", seed, i)
                            .isEqualTo(targets);
                }
            }
            if (!plan.moves().isEmpty()) {
                assertThat(drawn.plan().moves()).as("seed %d", seed).isEmpty();
            }
        }
    }

    /** With one participant out of sight the plan is another one, but it is a whole plan: it places all, and moves to no other than those seen. */
    @Test
    void aViewWithoutAParticipantOnlyCostsMoves() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, true);
            String missing = drawn.seats.remove(drawn.seats.size() - 1).node();
            Plan plan = drawn.plan();
            for (int shard = 0; shard < drawn.owners.length; shard++) {
                assertThat(plan.target(shard)).as("seed %d", seed).isNotEqualTo(missing);
                if (missing.equals(drawn.owners[shard])) {
                    assertThat(plan.isPlaced(shard) || plan.unplaced().get(shard))
                            .as("seed %d", seed)
                            .isFalse();
                }
            }
        }
    }

    @Test
    void unknownAndPinnedShardsStay() {
        for (long seed = 0; seed < RUNS; seed++) {
            Drawn drawn = new Drawn(seed, false);
            Plan plan = seed % 2 == 0 ? drawn.plan() : drawn.placed();
            assertThat(plan.moves()).as("seed %d", seed).noneMatch(move -> drawn.pinned.get(move.shard()));
            assertThat(drawn.unknown.stream().mapToObj(plan::target))
                    .as("seed %d", seed)
                    .allMatch(Objects::isNull);
        }
    }

    @Test
    void anInstanceOfAReserveGetsOnlyWhatTheOthersHaveNoRoomFor() {
        List<Seat> seats =
                List.of(new Seat("new", Place.PREFERRED, 3, false), new Seat("old", Place.RESERVE, 10, false));
        Plan plan = Plan.of("g", seats, new String[5], NONE, NONE);
        assertThat(targets(plan, 5)).filteredOn("new"::equals).hasSize(3);
        assertThat(targets(plan, 5)).filteredOn("old"::equals).hasSize(2);
    }

    /** A group of another name puts its shards elsewhere. */
    @Test
    void eachGroupHasItsOwnOrder() {
        List<Seat> seats = IntStream.range(0, 5)
                .mapToObj(i -> new Seat("n" + i, Place.PREFERRED, 50, true))
                .toList();
        List<@Nullable String> first = targets(Plan.of("a", seats, new String[50], NONE, NONE), 50);
        assertThat(targets(Plan.of("b", seats, new String[50], NONE, NONE), 50)).isNotEqualTo(first);
    }

    /** Of many rounds the fastest, which other tests that run at the same time do not slow down. */
    @Test
    void aPlanOfAThousandShardsAndFiftyInstancesIsFast() {
        List<Seat> seats = IntStream.range(0, 50)
                .mapToObj(i -> new Seat("n" + i, Place.PREFERRED, 1_024, true))
                .toList();
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < 100; i++) {
            long begun = System.nanoTime();
            assertThat(Plan.of("g" + i, seats, new String[1_024], NONE, NONE)
                            .unplaced()
                            .isEmpty())
                    .isTrue();
            fastest = Math.min(fastest, System.nanoTime() - begun);
        }
        System.out.printf("a plan of 1,024 shards and 50 instances: %d us%n", fastest / 1_000);
        assertThat(Duration.ofNanos(fastest)).isLessThan(Duration.ofMillis(20));
    }
}
