package io.paxoslease.protocol.paxos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The changes of members that are explored over the safety core. */
public final class CoreBounds {

    private CoreBounds() {}

    /** Those of every build. */
    public static List<CoreCell> small() {
        int[] a = {0};
        int[] b = {1};
        int[] c = {2};
        int[] abc = {0, 1, 2};
        return List.of(
                cell("one becomes another", CoreBounds::liveToo, 2, a, b),
                cell("one becomes another, there and back", CoreBounds::thereAndBack, 2, a, b),
                cell(
                        "one becomes another, by three ballots",
                        cell -> ballots(cell, new int[][] {{1, 3}, {2}}),
                        2,
                        a,
                        b),
                cell("one becomes another, then a third", CoreBounds::liveToo, 1, a, b, c),
                cell("one becomes three, with a release", CoreBounds::liveAndReleasing, 2, a, abc),
                settings("the longest lease grows", CoreBounds::thereAndBack, 1, 2, a, a),
                settings("the longest lease grows, with another member", CoreBounds::thereAndBack, 1, 2, a, b),
                settings("the longest lease shrinks", CoreBounds::thereAndBack, 2, 1, a, a),
                settings("the longest lease shrinks, with another member", CoreBounds::thereAndBack, 2, 1, a, b),
                cell("one of three is replaced, by restarts", cell -> {}, 1, abc, new int[] {0, 1, 3}));
    }

    /** Larger ones, for about an hour and with 9 GB. */
    public static List<CoreCell> large() {
        int[] a = {0};
        int[] b = {1};
        int[] abc = {0, 1, 2};
        int[] abd = {0, 1, 3};
        int[] ade = {0, 3, 4};
        int[] abcde = {0, 1, 2, 3, 4};
        List<CoreCell> cells = new ArrayList<>();
        cells.add(cell("one of three is replaced, by restarts", cell -> {}, 2, abc, abd));
        cells.add(cell("one of three is replaced, live", CoreBounds::liveOnly, 2, abc, abd));
        cells.add(cell("one of three is replaced, with a release", CoreBounds::liveAndReleasing, 2, abc, abd));
        cells.add(cell(
                "three become one, by restarts, there and back", CoreBounds::restartsThereAndBack, 1, abc, new int[] {3
                }));
        cells.add(cell("three become five", CoreBounds::liveToo, 1, abc, abcde));
        cells.add(cell("five become three", CoreBounds::liveToo, 1, abcde, abc));
        cells.add(cell("all three are replaced", CoreBounds::liveToo, 1, abc, new int[] {3, 4, 5}));
        cells.add(cell("two of three are replaced, with a release", CoreBounds::liveAndReleasing, 1, abc, ade));
        cells.add(cell(
                "one becomes three, by three ballots", cell -> ballots(cell, new int[][] {{1, 3}, {2}}), 2, a, abc));
        cells.forEach(cell -> cell.learnsAtOnce = true);
        for (int[][] counters : new int[][][] {{{1, 2}, {3}}, {{2, 3}, {1}}, {{1, 2, 4}, {3}}}) {
            cells.add(cell(
                    "one becomes another, by ballots " + Arrays.deepToString(counters),
                    cell -> ballots(cell, counters),
                    2,
                    a,
                    b));
        }
        cells.add(settings("the longest lease of three grows", CoreBounds::liveToo, 1, 2, abc, abc));
        cells.add(settings("the longest lease grows, one of three is replaced", CoreBounds::liveToo, 1, 2, abc, abd));
        cells.add(settings("the longest lease of three shrinks", CoreBounds::liveToo, 2, 1, abc, abc));
        cells.add(settings("the longest lease shrinks, one of three is replaced", CoreBounds::liveToo, 2, 1, abc, abd));
        return cells;
    }

    /** The world in which each mutant of a change is found, by its id. */
    public static Map<String, CoreCell> mutants() {
        int[] a = {0};
        int[] b = {1};
        Map<String, CoreCell> cells = new TreeMap<>();
        for (String id : List.of("N2", "N3", "N5", "N6")) {
            cells.put(id, cell(id, cell -> {}, 1, a, b));
        }
        for (String id : List.of("N2e", "N3b")) {
            cells.put(id, cell(id, CoreBounds::liveToo, 1, a, b));
        }
        cells.put("N2c", cell("N2c", CoreBounds::liveToo, 2, a, b));
        cells.put("N2d", cell("N2d", CoreBounds::thereAndBack, 2, a, b));
        if (Boolean.getBoolean("exploration.large")) {
            cells.put("N2f", cell("N2f", CoreBounds::restartsThereAndBack, 1, new int[] {0, 1, 2}, new int[] {3}));
        }
        cells.put("N11", cell("N11", CoreBounds::liveToo, 1, a, b, new int[] {2}));
        cells.put("U2a", settings("U2a", CoreBounds::thereAndBack, 2, 1, a, a));
        cells.put("U2b", settings("U2b", CoreBounds::thereAndBack, 2, 1, a, b));
        cells.put("U3", settings("U3", CoreBounds::thereAndBack, 1, 2, a, a));
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

    private static void restartsThereAndBack(CoreCell cell) {
        thereAndBack(cell);
        cell.movesLive = false;
        cell.learnsAtOnce = true;
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

    private static CoreCell settings(
            String name, Consumer<CoreCell> bounds, int before, int after, int[] list, int[] next) {
        CoreCell cell = new CoreCell(name).then(before, list).then(after, next);
        bounds.accept(cell);
        return cell;
    }
}
