package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Production clients over a regular register: every schedule of small worlds, and thousands of random ones of larger worlds, with
 * everything that may go wrong.
 */
@Tag("proof")
class StorageExplorationTest {

    private static final int SEEDS = 1_000;
    private static final long STATES = 300_000;

    private static StorageSetup setup(String name, Consumer<StorageSetup> details) {
        StorageSetup setup = new StorageSetup(name);
        details.accept(setup);
        return setup;
    }

    static void faults(StorageSetup setup) {
        setup.horizon = 120;
        setup.acquires = 8;
        setup.releases = 4;
        setup.crashes = 2;
        setup.failures = 3;
        setup.slows = 2;
        setup.pauses = 1;
        setup.suspensions = 1;
        setup.withdrawals = 1;
        setup.renewals = 2;
        setup.lease = 24;
        setup.maxLease = 24;
        setup.drift = 0.05;
    }

    private static void writes(StorageSetup setup) {
        setup.lease = setup.maxLease = 12;
        setup.horizon = 10;
    }

    private static void compares(StorageSetup setup) {
        setup.compares = true;
        setup.access = 1;
        setup.lease = setup.maxLease = 4;
        setup.horizon = 12;
    }

    private static Stream<DynamicTest> deep(DynamicTest world) {
        return Depth.isDeep() ? Stream.of(world) : Stream.empty();
    }

    private static DynamicTest small(String name, Consumer<StorageSetup> form, Consumer<StorageSetup> details) {
        return DynamicTest.dynamicTest(name, () -> {
            StorageExplorer.Result result = new StorageExplorer(() -> setup(name, setup -> {
                        setup.acquires = 2;
                        setup.lastAcquire = 2;
                        setup.places = false;
                        form.accept(setup);
                        details.accept(setup);
                    }))
                    .explore(STATES);
            System.out.println(result);
            assertThat(result.story()).isEmpty();
            assertThat(result.complete()).isTrue();
            assertThat(result.grants()).isPositive();
        });
    }

    /**
     * Contenders, from any moment on, in any order of what is read and written, and of what else happens once. The two
     * worlds that take longest are for the deep build.
     */
    @TestFactory
    Stream<DynamicTest> noScheduleOfASmallWorldHasTwoHolders() {
        Stream<DynamicTest> writingWithARelease =
                deep(small("writing, with a release", StorageExplorationTest::writes, setup -> {
                    setup.horizon = 12;
                    setup.lastAcquire = 0;
                    setup.releases = 1;
                }));
        Stream<DynamicTest> comparingWithASlowAccess =
                deep(small("comparing, with a slow access", StorageExplorationTest::compares, setup -> {
                    setup.lastAcquire = 1;
                    setup.slows = 1;
                    setup.slowAccess = 6;
                }));
        Stream<DynamicTest> inEveryBuild = Stream.of(
                small("writing", StorageExplorationTest::writes, setup -> {}),
                small("writing, a reader and a writer", StorageExplorationTest::writes, setup -> {
                    setup.lease = setup.maxLease = 18;
                    setup.lastAcquire = 1;
                    setup.confirms = true;
                    setup.sharing = new int[] {0};
                }),
                small("comparing", StorageExplorationTest::compares, setup -> {}),
                small("comparing, with a release", StorageExplorationTest::compares, setup -> {
                    setup.horizon = 10;
                    setup.releases = 1;
                }),
                small("comparing, with a crash", StorageExplorationTest::compares, setup -> {
                    setup.horizon = 10;
                    setup.crashes = 1;
                    setup.acquires = 3;
                }),
                small("comparing, three clients of which two share", StorageExplorationTest::compares, setup -> {
                    setup.clients = 3;
                    setup.acquires = 3;
                    setup.horizon = 6;
                    setup.lastAcquire = 0;
                    setup.sharing = new int[] {0, 1};
                }));
        return Stream.of(inEveryBuild, writingWithARelease, comparingWithASlowAccess)
                .flatMap(worlds -> worlds);
    }

    @TestFactory
    Stream<DynamicTest> noRandomScheduleHasTwoHoldersAndTokensRise() {
        return Stream.of("write", "write, renew by reading", "compare and set").flatMap(form -> Stream.of(
                        List.<Integer>of(), List.of(0), List.of(0, 1))
                .map(sharing -> DynamicTest.dynamicTest(form + ", sharing " + sharing, () -> {
                    StorageExplorer.Result result = new StorageExplorer(() -> world(form, sharing)).walk(SEEDS, 1);
                    assertThat(result.story()).isEmpty();
                    assertThat(result.grants()).isGreaterThan(1);
                })));
    }

    private static StorageSetup world(String form, List<Integer> sharing) {
        return setup(form, setup -> {
            faults(setup);
            setup.clients = 3;
            setup.compares = form.startsWith("compare");
            setup.confirms = form.contains("reading");
            setup.sharing = sharing.stream().mapToInt(each -> each).toArray();
            if (setup.compares) {
                setup.slowAccess = 40;
                setup.slows = 8;
            }
        });
    }

    /** However late a write lands, a release among them, it makes no two holders; only the order of tokens rests on the bound. */
    @TestFactory
    Stream<DynamicTest> noLateAccessMakesTwoHolders() {
        return Stream.of("write", "write, renew by reading")
                .map(form -> DynamicTest.dynamicTest(form, () -> {
                    StorageExplorer.Result result = new StorageExplorer(() -> setup(form, setup -> {
                                faults(setup);
                                setup.clients = 3;
                                setup.confirms = form.contains("reading");
                                late(setup);
                            }))
                            .walk(SEEDS, 1);
                    assertThat(result.story()).isEmpty();
                    assertThat(result.grants()).isGreaterThan(1);
                }));
    }

    static void late(StorageSetup setup) {
        setup.slowAccess = 40;
        setup.slows = 8;
        setup.renewals = 0; // all leases last alike
        setup.tokensRise = false;
    }

    @Test
    void noLateReleaseOrRenewalMakesTwoHolders() {
        StorageExplorer.Result result = new StorageExplorer(
                        () -> setup("late releases", StorageExplorationTest::lateReleases))
                .walk(4 * SEEDS, 1);
        System.out.println(result);
        assertThat(result.story()).isEmpty();
        assertThat(result.grants()).isGreaterThan(2);
    }

    /** Nothing else goes wrong, and leases go from one to the next. */
    static void lateReleases(StorageSetup setup) {
        setup.clients = 3;
        setup.lease = 12;
        setup.maxLease = 18;
        setup.renewed = false;
        setup.renewals = 2;
        setup.wishesWhole = true;
        setup.horizon = 60;
        setup.acquires = 6;
        setup.releases = 2;
        setup.failures = 1;
        setup.slows = 2;
        setup.slowAccess = 28;
        setup.faultsFrom = 6; // when the lease is held for the first time
        setup.tokensRise = false;
    }

    /** A store that has lost what every client knows; who has seen it waits until what may be held by it is over. */
    @TestFactory
    Stream<DynamicTest> noStoreThatGoesBackMakesTwoHoldersOfClientsThatRemember() {
        return Stream.of("write", "write, renew by reading", "compare and set")
                .map(form -> DynamicTest.dynamicTest(form, () -> {
                    StorageExplorer.Result result =
                            new StorageExplorer(() -> setup(form, setup -> restores(setup, form))).walk(SEEDS, 1);
                    assertThat(result.story()).isEmpty();
                    assertThat(result.grants()).isGreaterThan(1);
                }));
    }

    static void restores(StorageSetup setup, String form) {
        faults(setup);
        setup.crashes = 0;
        setup.compares = form.startsWith("compare");
        setup.confirms = form.contains("reading");
        setup.restores = 2;
    }

    /** Whatever was put back, and however many hold by it: one of them at most renews, and releases keep up nothing. */
    @Test
    void whenNothingGoesWrongAnyMoreADoubleHoldEndsWithTheNextRenewal() {
        StorageExplorer.Result result = new StorageExplorer(
                        () -> setup("write, renew by reading", StorageExplorationTest::stabilizes))
                .walk(4 * SEEDS, 1);
        assertThat(result.story()).isEmpty();
        assertThat(result.grants()).isGreaterThan(1);
    }

    static void stabilizes(StorageSetup setup) {
        setup.clients = 3;
        setup.lease = setup.maxLease = 24;
        setup.confirms = true;
        setup.horizon = 100;
        setup.acquires = 40;
        setup.releases = 4;
        setup.crashes = 1;
        setup.restores = 1;
        setup.faultsFrom = 30;
        setup.restoresWhatIsKnown = false;
        setup.tokensRise = false;
        setup.stableFrom = 40;
        // A renewal begins when a third of the lease has passed, and is decided some accesses later.
        setup.judgedFrom = setup.stableFrom + setup.lease / 3 + 4 * setup.access;
    }

    /** Whatever happened before: once the store answers within the bound, somebody comes to hold within a bounded time. */
    @Test
    void whenNothingGoesWrongAnyMoreSomebodyComesToHold() {
        for (String form : List.of("write", "write, renew by reading", "compare and set")) {
            for (int seed = 0; seed < SEEDS; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                StorageWorld world = new StorageWorld(world(form, List.of()));
                run(world, random, 40);
                world.heal();
                int healedAt = world.time;
                int limit = healedAt + longestWithoutAHolder(world.setup);
                boolean held = false;
                while (!held && world.time < limit) {
                    run(world, random, world.time + 1);
                    held = world.users.stream().anyMatch(StorageUser::believes);
                }
                assertThat(held)
                        .as("%s, seed %d, healed at %d", form, seed, healedAt)
                        .isTrue();
                assertThat(world.violation()).isNull();
            }
        }
    }

    /**
     * What an unlucky write left behind may land late, and is waited for as long as a fixed lease may be stamped; then one look, a
     * write, the wait after it, and the look that decides. Each wait is multiplied by gamma, and measured by a slow clock.
     */
    private static int longestWithoutAHolder(StorageSetup setup) {
        double gamma = (1 + setup.drift) / (1 - setup.drift);
        double wait = setup.lease + 2 * setup.access;
        double decision = 6 * setup.access;
        return (int) Math.ceil((setup.slowAccess + wait + decision) * gamma / (1 - setup.drift)) + setup.access;
    }

    private static void run(StorageWorld world, SplittableRandom random, int until) {
        List<StorageWorld.Move> moves = world.moves();
        while (world.time < until && !moves.isEmpty()) {
            world.apply(moves.get(random.nextInt(moves.size())));
            moves = world.moves();
        }
    }
}
