package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.exploration.Explorer.Result;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every interleaving of production nodes within small bounds: {@link Bounds} says which, and which are for the deep build only.
 * {@code -Dexploration.large=true} visits larger ones as well, for minutes.
 */
@Tag("proof")
class ExplorationTest {

    private static final long ALL = 40_000_000;
    private static final long LEAST = 1_000_000;
    private static final int WALKS = (int) Depth.of("exploration.walks", 1_000, 5_000);

    /** Each is complete: nothing that can happen within its bounds is left out. */
    @TestFactory
    Stream<DynamicTest> noTwoNodesHoldOneLeaseWhateverHappensWithinBounds() {
        return explored(Depth.isLarge() ? Bounds.large() : Bounds.small(), LEAST);
    }

    @TestFactory
    Stream<DynamicTest> noTwoNodesHoldOneLeaseOfFleaseWhateverHappensWithinBounds() {
        return explored(Bounds.flease(), LEAST / 2);
    }

    /** Section 9: what happens when the list of members is changed by restarts is explored with all that the guard relies on. */
    @TestFactory
    Stream<DynamicTest> noTwoNodesHoldOneLeaseWhileTheConfigurationIsChanged() {
        return explored(Bounds.changes(), LEAST / 10);
    }

    /** Section 9, R1 to R8: the list of members is changed by generations. */
    @TestFactory
    Stream<DynamicTest> noTwoNodesHoldOneLeaseWhileOneGenerationFollowsAnother() {
        return explored(Bounds.generations(), LEAST / 10);
    }

    /** R2: members move while they run, and keep what they remember. */
    @TestFactory
    Stream<DynamicTest> noTwoNodesHoldOneLeaseWhileMembersMoveWithoutARestart() {
        return explored(Bounds.liveGenerations(), LEAST / 10);
    }

    @TestFactory
    Stream<DynamicTest> walksThroughLargerChangesOfGenerationsFindNothing() {
        return Bounds.largerGenerations().stream()
                .map(cell -> DynamicTest.dynamicTest(cell.name, () -> assertThat(new Walk(cell).search(WALKS))
                        .isNull()));
    }

    /**
     * The limit (section 9): nothing protects against a member that goes back to the list before the seal after it, and hears of no node
     * that knows better.
     */
    @Test
    void aMemberThatGoesBackAfterTheSealAndHearsOfNobodyMakesTwoHolders() {
        Cell cell = new Cell("generations: back after the seal");
        Bounds.oneBecomesAnother(cell);
        cell.deaf = Set.of(0);
        cell.returns = true;
        cell.restarts = 2;
        scheduleOfTwoHolders(cell);
    }

    /** The shortest schedule: it is the obvious rolling restart. */
    @Test
    void withoutTheGuardARollingChangeOfTheMembersMakesTwoHolders() {
        assertThat(scheduleOfTwoHolders(Bounds.rollingChangeWithoutTheGuard())).hasSize(9);
    }

    /** R6: a restart gives an acceptor the other content, and both contents are sealed with its help. */
    @Test
    void withoutTheGuardTwoContentsOfOneGenerationMakeTwoHolders() {
        assertThat(scheduleOfTwoHolders(Bounds.twoContentsWithoutTheGuard())).hasSize(9);
    }

    private static List<Action> scheduleOfTwoHolders(Cell cell) {
        Result result = Explorer.explore(cell, ALL);
        System.out.println(result);
        List<Action> schedule = Objects.requireNonNull(result.bad());
        ExploredWorld world = new ExploredWorld(cell, null);
        schedule.forEach(world::apply);
        assertThat(world.violation()).contains("hold");
        return schedule;
    }

    private static Stream<DynamicTest> explored(List<Cell> cells, long least) {
        List<Cell> inThisBuild =
                cells.stream().filter(cell -> !cell.deep || Depth.isDeep()).toList();
        Map<String, Result> results = inThisBuild.parallelStream()
                .collect(Collectors.toMap(cell -> cell.name, cell -> Explorer.explore(cell, ALL)));
        DynamicTest sum = DynamicTest.dynamicTest("all of them together", () -> {
            long states = results.values().stream().mapToLong(Result::states).sum();
            System.out.printf("%,d states explored%n", states);
            assertThat(states).isGreaterThan(least);
        });
        Stream<DynamicTest> each = inThisBuild.stream()
                .map(cell -> DynamicTest.dynamicTest(cell.name, () -> {
                    Result result = Objects.requireNonNull(results.get(cell.name));
                    System.out.println(result);
                    assertThat(result.bad()).as(() -> story(cell, result)).isNull();
                    assertThat(result.complete()).as("complete").isTrue();
                    DocumentedCounts.assertKnown(result.states());
                }));
        return Stream.concat(each, Stream.of(sum));
    }

    @Test
    void theQuarantineIsExactlyTight() {
        isExactlyTight(Bounds.tightQuarantine(0), Bounds.tightQuarantine(1));
    }

    /** The same where the holder's clock runs at the lowest rate and the restarted acceptor's at the highest. */
    @Test
    void theQuarantineIsExactlyTightForTheWorstRates() {
        isExactlyTight(Bounds.tightQuarantineOfWorstRates(0), Bounds.tightQuarantineOfWorstRates(2));
    }

    /** That the whole quarantine is enough is most of the work, and for the deep build. */
    private static void isExactlyTight(Cell enough, Cell less) {
        assertThat(scheduleOfTwoHolders(less)).isNotEmpty();
        if (Depth.isDeep()) {
            Result result = Explorer.explore(enough, ALL);
            System.out.println(result);
            assertThat(result.bad()).isNull();
            assertThat(result.complete()).isTrue();
            DocumentedCounts.assertKnown(result.states());
        }
    }

    /** Of Flease: what a restarted node forgot is not over yet. */
    @Test
    void withoutTheSilenceAfterARestartTwoNodesHoldOneLease() {
        Cell cell = Bounds.fleaseWithoutSilence();
        scheduleOfTwoHolders(cell);
    }

    /** What the explorer finds, a world replays. */
    @Test
    void aViolationIsToldAsAScheduleThatAWorldReplays() {
        Cell cell = Bounds.tightQuarantine(1);
        Result result = Explorer.explore(cell, ALL);
        ExploredWorld world = new ExploredWorld(cell, null);
        Objects.requireNonNull(result.bad()).forEach(world::apply);
        assertThat(world.violation()).contains("hold");
    }

    private static String story(Cell cell, Result result) {
        Story story = new Story();
        ExploredWorld world = new ExploredWorld(cell, story);
        if (result.bad() != null) {
            result.bad().forEach(world::apply);
        }
        return cell.name + "\n" + String.join("\n", story.lines()) + "\n" + world.violation();
    }
}
