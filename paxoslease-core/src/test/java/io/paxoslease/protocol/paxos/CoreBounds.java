package io.paxoslease.protocol.paxos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The changes of members that are explored over the safety core. */
final class CoreBounds {

    /** By restarts and while they run, there and back. */
    private static final Consumer<CoreCell> BY_ANY_WAY = cell -> {
        cell.movesLive = true;
        cell.goesBack = true;
    };

    private CoreBounds() {}

    /** Those of every build. */
    static List<CoreCell> small() {
        int[] a = {0};
        int[] b = {1};
        int[] abc = {0, 1, 2};
        return List.of(
                cell("a becomes b, by three ballots", BY_ANY_WAY.andThen(CoreBounds::threeBallots), 1, a, b),
                cell("a becomes b, asked now and then", CoreBounds::seldomAsked, 2, a, b),
                cell("a becomes a, b and c", BY_ANY_WAY.andThen(CoreBounds::releasing), 2, a, abc),
                settings("the longest lease grows", 1, 2, a, a),
                settings("the longest lease grows, with a swap", 1, 2, a, b),
                settings("the longest lease shrinks", 2, 1, a, a),
                settings("the longest lease shrinks, with a swap", 2, 1, a, b),
                cell("one of three is replaced", cell -> {}, 1, abc, new int[] {0, 1, 3}));
    }

    /** The same for an hour: the changes of the design, each at the times of its model and by the ways that it names there. */
    static List<CoreCell> large() {
        int[] abc = {0, 1, 2};
        int[] abd = {0, 1, 3};
        int[] abcde = {0, 1, 2, 3, 4};
        List<CoreCell> cells = new ArrayList<>();
        cells.add(cell("J1: one of three is replaced, by restarts", cell -> {}, 2, abc, abd));
        cells.add(cell("J2: the same while they run", CoreBounds::liveOnly, 2, abc, abd));
        cells.add(cell("J3: the same by both, with a release", CoreBounds::liveAndReleasing, 2, abc, abd));
        cells.add(cell("J4: the same by both, there and back", BY_ANY_WAY, 2, abc, abd));
        cells.add(cell("J5: three become five, by both", cell -> cell.movesLive = true, 2, abc, abcde));
        cells.add(cell("J6: five become three, by both", cell -> cell.movesLive = true, 2, abcde, abc));
        cells.add(cell(
                "J7: all three are replaced, by both", cell -> cell.movesLive = true, 1, abc, new int[] {3, 4, 5}));
        cells.add(cell(
                "J8: two of three are replaced, by both, with a release",
                CoreBounds::liveAndReleasing,
                1,
                abc,
                new int[] {0, 3, 4}));
        cells.add(cell("J9: two changes, by both", cell -> cell.movesLive = true, 1, abc, abd, new int[] {0, 3, 4}));
        cells.add(cell(
                "J11: a becomes a, b and c, by both, with a release",
                CoreBounds::liveAndReleasing,
                2,
                new int[] {0},
                abc));
        cells.add(settings("U1: the longest lease of three grows", 1, 2, abc, abc));
        cells.add(settings("U1: the longest lease grows, one of three is replaced", 1, 2, abc, abd));
        cells.add(settings("U2: the longest lease of three shrinks", 2, 1, abc, abc));
        cells.add(settings("U2: the longest lease shrinks, one of three is replaced", 2, 1, abc, abd));
        cells.add(cell(
                "a becomes a, b and c, by three ballots",
                BY_ANY_WAY.andThen(CoreBounds::threeBallots),
                1,
                new int[] {0},
                abc));
        return cells;
    }

    /** The world in which each mutant of a change is found, by its id. */
    static Map<String, CoreCell> mutants() {
        Map<String, CoreCell> cells = new TreeMap<>();
        for (String id : List.of("N2", "N3", "N5", "N6")) {
            cells.put(id, cell(id, cell -> {}, 1, new int[] {0}, new int[] {1}));
        }
        for (String id : List.of("N2e", "N3b")) {
            cells.put(id, cell(id, cell -> cell.movesLive = true, 1, new int[] {0}, new int[] {1}));
        }
        cells.put("N2c", cell("N2c", cell -> cell.movesLive = true, 2, new int[] {0}, new int[] {1}));
        cells.put("N2d", cell("N2d", CoreBounds::seldomAsked, 2, new int[] {0}, new int[] {1}));
        cells.put("U2a", settings("U2a", 2, 1, new int[] {0}, new int[] {0}));
        cells.put("U2b", settings("U2b", 2, 1, new int[] {0}, new int[] {1}));
        cells.put("U3", settings("U3", 1, 2, new int[] {0}, new int[] {0}));
        return cells;
    }

    private static void liveOnly(CoreCell cell) {
        cell.movesLive = true;
        cell.movesByRestart = false;
    }

    private static void liveAndReleasing(CoreCell cell) {
        cell.movesLive = true;
        cell.releases = 1;
    }

    private static void seldomAsked(CoreCell cell) {
        BY_ANY_WAY.accept(cell);
        cell.asksNowAndThen = true;
    }

    private static void releasing(CoreCell cell) {
        cell.releases = 1;
    }

    private static void threeBallots(CoreCell cell) {
        cell.attempts = new int[] {2, 1};
        cell.extendsToo = true;
        cell.releases = 1;
    }

    private static CoreCell cell(String name, Consumer<CoreCell> bounds, int leaseUnits, int[]... lists) {
        CoreCell cell = new CoreCell(name);
        for (int[] list : lists) {
            cell.then(leaseUnits, list);
        }
        bounds.accept(cell);
        return cell;
    }

    private static CoreCell settings(String name, int before, int after, int[] list, int[] next) {
        CoreCell cell = new CoreCell(name).then(before, list).then(after, next);
        BY_ANY_WAY.accept(cell);
        return cell;
    }
}
