package io.paxoslease.protocol.paxos;

import io.paxoslease.exploration.Depth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The changes of members that are explored over the safety core. */
public final class CoreBounds {

    private CoreBounds() {}

    private static final int[] A = {0};
    private static final int[] B = {1};
    private static final int[] C = {2};
    private static final int[] D = {3};
    private static final int[] ABC = {0, 1, 2};
    private static final int[] ABD = {0, 1, 3};
    private static final int[] BCE = {1, 2, 4};
    private static final int[] ADE = {0, 3, 4};
    private static final int[] DEF = {3, 4, 5};
    private static final int[] ABCDE = {0, 1, 2, 3, 4};

    /** Those of every build, and of the deep one. */
    public static List<CoreCell> small() {
        List<CoreCell> cells = new ArrayList<>(List.of(
                cell("one becomes another", CoreBounds::liveToo, 2, A, B),
                cell("one becomes another, there and back", CoreBounds::thereAndBack, 2, A, B),
                cell(
                        "one becomes another, by three ballots",
                        cell -> ballots(cell, new int[][] {{1, 3}, {2}}),
                        2,
                        A,
                        B),
                cell("one becomes another, then a third", CoreBounds::liveToo, 1, A, B, C),
                cell("one becomes three, with a release", CoreBounds::liveAndReleasing, 2, A, ABC),
                twoContents(2),
                twoContentsThereAndBack(),
                cell("one becomes another, there and back, answers are late", CoreBounds::lateThereAndBack, 2, A, B),
                settings("the longest lease grows", CoreBounds::thereAndBack, 1, 2, A, A),
                settings("the longest lease grows, with another member", CoreBounds::thereAndBack, 1, 2, A, B),
                settings("the longest lease shrinks", CoreBounds::thereAndBack, 2, 1, A, A),
                settings("the longest lease shrinks, with another member", CoreBounds::thereAndBack, 2, 1, A, B),
                cell("one of three is replaced, seals are heard of at any time", cell -> {}, 1, ABC, ABD)));
        List<CoreCell> shapes = ofThreeAndFive(1);
        cells.addAll(Depth.isDeep() ? shapes : shapes.subList(0, shapes.size() - 1));
        return cells;
    }

    /** Larger ones, for about an hour and with 9 GB. */
    public static List<CoreCell> large() {
        int[][] three = {{1, 3}, {2}};
        List<CoreCell> cells = ofThreeAndFive(2);
        cells.add(learning("one of three is replaced, by one or another", CoreBounds::liveToo, 1, ABC, ABD)
                .or(1, BCE));
        cells.add(learning("one of three is replaced, then two", CoreBounds::liveToo, 1, ABC, ABD, ADE));
        cells.add(learning("one of three is replaced, there and back", CoreBounds::thereAndBack, 2, ABC, ABD));
        cells.add(learning("three become five, there and back", CoreBounds::thereAndBack, 1, ABC, ABCDE));
        cells.add(learning("all three are replaced, there and back", CoreBounds::thereAndBack, 1, ABC, DEF));
        cells.add(
                learning("three become one, by restarts, there and back", CoreBounds::restartsThereAndBack, 1, ABC, D));
        cells.add(learning("one becomes three, by three ballots", cell -> ballots(cell, three), 2, A, ABC));
        cells.add(learning("one of three is replaced, by three ballots", cell -> ballots(cell, three), 1, ABC, ABD));
        cells.add(learning("three become five, by three ballots", cell -> ballots(cell, three), 1, ABC, ABCDE));
        for (int[][] counters : new int[][][] {{{1, 2}, {3}}, {{2, 3}, {1}}, {{1, 2, 4}, {3}}}) {
            String name = "one becomes another, by ballots " + Arrays.deepToString(counters);
            cells.add(cell(name, cell -> ballots(cell, counters), 2, A, B));
        }
        cells.add(
                settings("the longest lease of three grows, there and back", CoreBounds::thereAndBack, 1, 2, ABC, ABC));
        cells.add(settings("the longest lease grows, one of three is replaced", CoreBounds::liveToo, 1, 2, ABC, ABD));
        cells.add(settings(
                "the longest lease of three shrinks, there and back", CoreBounds::thereAndBack, 2, 1, ABC, ABC));
        cells.add(settings("the longest lease shrinks, one of three is replaced", CoreBounds::liveToo, 2, 1, ABC, ABD));
        return cells;
    }

    /** Every shape of a change of three members or five; the last one has most of the states. */
    private static List<CoreCell> ofThreeAndFive(int lease) {
        return new ArrayList<>(List.of(
                learning("one of three is replaced, by restarts", cell -> {}, lease, ABC, ABD),
                learning("one of three is replaced, live", CoreBounds::liveOnly, lease, ABC, ABD),
                learning("one of three is replaced, with a release", CoreBounds::liveAndReleasing, lease, ABC, ABD),
                learning("three become five", CoreBounds::liveToo, lease, ABC, ABCDE),
                learning("all three are replaced", CoreBounds::liveToo, lease, ABC, DEF),
                learning("two of three are replaced, with a release", CoreBounds::liveAndReleasing, lease, ABC, ADE),
                learning("five become three", CoreBounds::liveToo, lease, ABCDE, ABC)));
    }

    /** One becomes another, or a third: acceptors move to one or the other. */
    public static CoreCell twoContents(int lease) {
        return cell("one becomes another or a third", CoreBounds::liveToo, lease, A, B)
                .or(lease, C);
    }

    private static CoreCell twoContentsThereAndBack() {
        return cell("one becomes another or a third, there and back", CoreBounds::thereAndBack, 2, A, B)
                .or(2, C);
    }

    /** The world in which each mutant of a change is found, by its id. */
    public static Map<String, CoreCell> mutants() {
        Map<String, CoreCell> cells = new TreeMap<>();
        for (String id : List.of("N2", "N3", "N5", "N6")) {
            cells.put(id, cell(id, cell -> {}, 1, A, B));
        }
        for (String id : List.of("N2e", "N3b")) {
            cells.put(id, cell(id, CoreBounds::liveToo, 1, A, B));
        }
        cells.put("N2c", cell("N2c", CoreBounds::liveToo, 2, A, B));
        cells.put("N2d", cell("N2d", CoreBounds::thereAndBack, 2, A, B));
        if (Depth.isLarge()) {
            cells.put("N2f", learning("N2f", CoreBounds::restartsThereAndBack, 1, ABC, D));
            cells.put("N2h", cell("N2h", CoreBounds::lateLive, 2, A, B));
            cells.put("N2i", cell("N2i", CoreBounds::lateThereAndBack, 2, A, B));
        }
        cells.put("N11", cell("N11", CoreBounds::liveToo, 1, A, B, C));
        cells.put("N12", cell("N12", CoreBounds::liveOnly, 1, A, B).or(1, C));
        cells.put("U2a", settings("U2a", CoreBounds::thereAndBack, 2, 1, A, A));
        cells.put("U2b", settings("U2b", CoreBounds::thereAndBack, 2, 1, A, B));
        cells.put("U3", settings("U3", CoreBounds::thereAndBack, 1, 2, A, A));
        return cells;
    }

    private static void liveToo(CoreCell cell) {
        cell.movesLive = true;
    }

    private static void liveOnly(CoreCell cell) {
        liveToo(cell);
        cell.movesByRestart = false;
    }

    private static void liveAndReleasing(CoreCell cell) {
        liveToo(cell);
        cell.releases = 1;
    }

    private static void thereAndBack(CoreCell cell) {
        liveToo(cell);
        cell.goesBack = true;
        cell.asksNowAndThen = true;
    }

    private static void lateThereAndBack(CoreCell cell) {
        thereAndBack(cell);
        cell.answersLate = true;
    }

    private static void lateLive(CoreCell cell) {
        liveOnly(cell);
        cell.asksNowAndThen = true;
        cell.answersLate = true;
    }

    private static void restartsThereAndBack(CoreCell cell) {
        thereAndBack(cell);
        cell.movesLive = false;
    }

    private static void ballots(CoreCell cell, int[][] counters) {
        liveAndReleasing(cell);
        cell.counters = counters;
        cell.extendsToo = true;
    }

    private static CoreCell cell(String name, Consumer<CoreCell> bounds, int leaseUnits, int[]... lists) {
        CoreCell cell = new CoreCell(name);
        for (int[] list : lists) {
            cell.then(leaseUnits, list);
        }
        bounds.accept(cell);
        return cell;
    }

    /** One in which acceptors learn of the seal of their own generation at once. */
    private static CoreCell learning(String name, Consumer<CoreCell> bounds, int leaseUnits, int[]... lists) {
        CoreCell cell = cell(name, bounds, leaseUnits, lists);
        cell.learnsAtOnce = true;
        return cell;
    }

    private static CoreCell settings(
            String name, Consumer<CoreCell> bounds, int before, int after, int[] list, int[] next) {
        CoreCell cell = new CoreCell(name).then(before, list).then(after, next);
        bounds.accept(cell);
        return cell;
    }
}
