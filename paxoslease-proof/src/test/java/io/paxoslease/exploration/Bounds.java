package io.paxoslease.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The small worlds that are explored completely. */
final class Bounds {

    private Bounds() {}

    private static Cell cell(String name, Consumer<Cell> bounds) {
        Cell cell = new Cell(name);
        cell.checksTokens = true;
        bounds.accept(cell);
        return cell;
    }

    /** Two acceptors, which both propose. */
    private static void two(Cell cell) {
        cell.acceptors = 2;
        cell.acquires = new int[] {1, 1};
        cell.horizon = 3;
    }

    static List<Cell> small() {
        List<Cell> cells = new ArrayList<>();
        cells.add(cell("two acceptors: acquire, retry", Bounds::two));
        cells.add(cell("two acceptors: acquire, retry, release", cell -> {
            two(cell);
            cell.releases = 1;
            cell.deep = true;
        }));
        cells.add(cell("two acceptors: acquire, restart with quarantine", cell -> {
            two(cell);
            cell.attempts = 1;
            cell.restarts = 1;
            cell.leaseUnits = 3;
            cell.maxLeaseUnits = 3;
            cell.horizon = 4;
        }));
        cells.add(cell("two acceptors, one asks: renew, release, suspect, restart", cell -> {
            two(cell);
            cell.acquires = new int[] {2, 0};
            cell.attempts = 3;
            cell.renewals = 1;
            cell.releases = 1;
            cell.suspicions = 1;
            cell.restarts = 1;
        }));
        cells.add(cell("two acceptors: acquire, messages repeated", cell -> {
            two(cell);
            cell.attempts = 1;
            cell.repetitions = 1;
        }));
        cells.add(cell("two acceptors: acquire, renewed in bundles", cell -> {
            two(cell);
            cell.attempts = 2;
            cell.renewed = true;
            cell.leaseUnits = 3;
            cell.maxLeaseUnits = 3;
        }));
        cells.add(cell("three acceptors: acquire", cell -> {
            cell.attempts = 1;
            cell.horizon = 2;
        }));
        cells.add(suspended());
        return cells;
    }

    /** The one guest renews by a proposal, and its machine is suspended; the other's wall clock is behind. */
    private static Cell suspended() {
        return cell("one acceptor and two guests: renew, suspend, suspect, release", Bounds::suspended);
    }

    static void suspended(Cell cell) {
        cell.checksTokens = true;
        cell.acceptors = 1;
        cell.proposers = 2;
        cell.acquires = new int[] {0, 1, 1};
        cell.wallOffsetsMillis = new int[] {-1, 0, -15};
        cell.renewals = 1;
        cell.releases = 1;
        cell.suspicions = 1;
        cell.attemptsOf = new int[] {0, 4, 1};
        cell.sleeper = 1;
        cell.sleeps = 1;
        cell.sleepUnits = 2;
        cell.horizon = 3;
    }

    static List<Cell> large() {
        List<Cell> cells = small();
        cells.add(cell("two acceptors: acquire, renew, retry", cell -> {
            two(cell);
            cell.renewals = 1;
        }));
        cells.add(cell("two acceptors: acquire, renewed in bundles, for longer", cell -> {
            two(cell);
            cell.renewed = true;
            cell.leaseUnits = 3;
            cell.maxLeaseUnits = 3;
            cell.horizon = 4;
        }));
        cells.add(cell("three acceptors: acquire, restart with quarantine", cell -> {
            cell.attempts = 1;
            cell.restarts = 1;
            cell.horizon = 2;
        }));
        cells.add(withReleaseLive(", for longer", 5));
        cells.add(besideOneThatDoesNotHearLive(", for longer", 5));
        return cells;
    }

    /** The configuration is changed by restarting one node after the other, and none of the marks that make it safe. */
    static List<Cell> changes() {
        List<Cell> cells = new ArrayList<>();
        cells.add(cell("one of three members is replaced", Bounds::swap));
        cells.add(cell("one of three members is replaced, and it is undone", cell -> {
            swap(cell);
            cell.restarting = Set.of(1);
        }));
        cells.add(cell("three members become five", cell -> {
            three(cell);
            cell.restarting = Set.of(1);
            cell.restarts = 1;
        }));
        cells.add(cell("two old members, three new ones", Bounds::newcomers));
        return cells;
    }

    /** The members change by generations (R1 to R8), by restarts; a further restart undoes it, before the seal. */
    static List<Cell> generations() {
        List<Cell> cells = new ArrayList<>();
        cells.add(cell("generations: one member becomes another", Bounds::oneBecomesAnother));
        cells.add(cell("generations: one member becomes another, and it is undone", cell -> {
            oneBecomesAnother(cell);
            cell.restarts = 2;
            cell.horizon = 4;
            cell.deep = true;
        }));
        cells.add(cell("generations: one member becomes another, with a release", cell -> {
            oneBecomesAnother(cell);
            cell.releases = 1;
            cell.horizon = 4;
        }));
        cells.add(cell("generations: one member becomes another, beside one that does not hear of it", cell -> {
            oneBecomesAnother(cell);
            cell.deaf = Set.of(0);
        }));
        cells.add(cell("generations: one member becomes another, beside a guest", cell -> {
            besideGuest(cell);
            cell.horizon = 3;
            cell.deep = true;
        }));
        cells.add(cell("generations: one member becomes another, beside a guest that does not hear of it", cell -> {
            besideGuest(cell);
            cell.deaf = Set.of(2);
        }));
        cells.add(cell("generations: the longest lease shrinks", cell -> {
            oneBecomesAnother(cell);
            cell.maxLeaseUnits = 2;
            cell.leaseUnits = 2;
            cell.maxLeaseUnitsAfter = 1;
        }));
        cells.add(cell("generations: the longest lease grows", cell -> {
            oneBecomesAnother(cell);
            cell.leaseUnits = 2;
            cell.maxLeaseUnitsAfter = 2;
            cell.deep = true;
        }));
        cells.add(cell("generations: two contents of one", cell -> {
            twoContents(cell);
            cell.horizon = Depth.isLarge() ? 4 : 3;
        }));
        return cells;
    }

    /** The same where members move while they run: they keep what they remember, and no quarantine covers for anything (R2). */
    static List<Cell> liveGenerations() {
        List<Cell> cells = new ArrayList<>();
        cells.add(cell("generations: one member becomes another while it runs", cell -> {
            oneBecomesAnotherLive(cell);
            cell.deep = true;
        }));
        cells.add(withReleaseLive("", 4));
        cells.add(besideOneThatDoesNotHearLive("", 4));
        cells.add(cell("generations: one member becomes another while it runs, beside a deaf guest", cell -> {
            besideGuestLive(cell);
            cell.deaf = Set.of(2);
        }));
        return cells;
    }

    private static Cell withReleaseLive(String howLong, int horizon) {
        return cell("generations: one member becomes another while it runs, with a release" + howLong, cell -> {
            oneBecomesAnotherLive(cell);
            cell.releases = 1;
            cell.horizon = horizon;
        });
    }

    private static Cell besideOneThatDoesNotHearLive(String howLong, int horizon) {
        return cell(
                "generations: one member becomes another while it runs, beside one that does not hear of it" + howLong,
                cell -> {
                    oneBecomesAnotherLive(cell);
                    cell.deaf = Set.of(1);
                    cell.horizon = horizon;
                    cell.deep = true;
                });
    }

    static void oneBecomesAnotherLive(Cell cell) {
        oneBecomesAnother(cell);
        cell.live = Set.of(0);
        cell.horizon = 5;
    }

    /** What the guest c holds has been granted by a before it moved. */
    static void besideGuestLive(Cell cell) {
        besideGuest(cell);
        cell.live = Set.of(0);
        cell.horizon = 5;
    }

    /** Larger ones, by walks: they are too many states for a build. */
    static List<Cell> largerGenerations() {
        List<Cell> cells = new ArrayList<>();
        cells.add(walked("one of three members is replaced", new int[] {0, 1, 2}, new int[] {0, 1, 3}));
        cells.add(walked("three members become five", new int[] {0, 1, 2}, new int[] {0, 1, 2, 3, 4}));
        cells.add(walked("all three members are replaced", new int[] {0, 1, 2}, new int[] {3, 4, 5}));
        cells.add(walked("one member becomes three", new int[] {0}, new int[] {0, 1, 2}));
        cells.add(walked("two of three members are replaced", new int[] {0, 1, 2}, new int[] {0, 3, 4}));
        Cell shrinking = walked("five members become three", new int[] {0, 1, 2, 3, 4}, new int[] {0, 1, 2});
        cells.add(shrinking);
        cells.add(live(
                walked("three members become five while they run", new int[] {0, 1, 2}, new int[] {0, 1, 2, 3, 4}),
                0,
                1,
                2));
        cells.add(live(
                walked("one of three members is replaced while they run", new int[] {0, 1, 2}, new int[] {0, 1, 3}),
                0,
                1,
                2));
        cells.add(live(
                walked(
                        "one of three members is replaced, some restart and some move, and it is undone",
                        new int[] {0, 1, 2},
                        new int[] {0, 1, 3}),
                0));
        return cells;
    }

    private static Cell live(Cell cell, Integer... moving) {
        cell.live = Set.of(moving);
        cell.horizon = 8;
        return cell;
    }

    private static Cell walked(String name, int[] before, int[] after) {
        return cell("generations: " + name, cell -> {
            int size = 1 + Math.max(before[before.length - 1], after[after.length - 1]);
            marked(cell, size, before, after);
            cell.acquires = new int[size];
            cell.acquires[0] = 2;
            cell.acquires[size - 1] = 2;
            cell.acquires[1] = Math.max(1, cell.acquires[1]);
            cell.attempts = 4;
            cell.renewed = true;
            cell.releases = 2;
            cell.repetitions = 1;
            cell.renewals = 1;
            cell.restarts = before.length + 1;
            cell.horizon = 7;
        });
    }

    /** The same, and c is no member: what it holds outlives the process that granted it. */
    static void besideGuest(Cell cell) {
        oneBecomesAnother(cell);
        cell.proposers = 1;
        cell.acquires = new int[] {0, 1, 1};
        cell.restarting = Set.of(0);
        cell.horizon = 4;
    }

    /** The smallest change: a alone, then b alone. */
    static void oneBecomesAnother(Cell cell) {
        marked(cell, 2, new int[] {0}, new int[] {1});
        cell.acquires = new int[] {1, 1};
        cell.horizon = 5;
    }

    /** Nodes that are no members before the change are of the next generation from the start; the others move to it by a restart. */
    static void marked(Cell cell, int size, int[] before, int[] after) {
        change(cell, size, before, after);
        for (int node = 0; node < size; node++) {
            cell.members[node] = before;
        }
        cell.marked = true;
        cell.firstNewcomer = before.length;
        cell.restarts = before.length;
    }

    /**
     * a becomes b, or c: two contents of one generation. a is told of b, and of c when it is started again; c is started at any time, and is
     * told of itself (R6).
     */
    static void twoContents(Cell cell) {
        marked(cell, 3, new int[] {0}, new int[] {1});
        cell.contested = true;
        cell.membersAfter[2] = new int[] {2};
        cell.membersThen = cell.membersAfter.clone();
        cell.membersThen[0] = new int[] {2};
        cell.startedLater = Set.of(2);
        cell.acquires = new int[] {0, 1, 1};
        cell.restarting = Set.of(0, 2);
        cell.restarts = 3;
        cell.horizon = 4;
    }

    static Cell twoContentsWithoutTheGuard() {
        return cell("generations: two contents of one, without the guard", cell -> {
            twoContents(cell);
            cell.unguarded = true;
        });
    }

    static Cell rollingChangeWithoutTheGuard() {
        return cell("one of three members is replaced, without the guard", cell -> {
            swap(cell);
            cell.restarts = 1;
            cell.unguarded = true;
        });
    }

    /** a, b, c become a, b, d. */
    static void swap(Cell cell) {
        change(cell, 4, new int[] {0, 1, 2}, new int[] {0, 1, 3});
        cell.membersAfter[2] = new int[] {0, 1, 2};
        cell.acquires = new int[] {0, 0, 1, 1};
        cell.restarting = Set.of(0, 1);
        cell.restarts = 2;
        cell.horizon = 3;
    }

    /** a, b, c become a to e. */
    static void three(Cell cell) {
        change(cell, 5, new int[] {0, 1, 2}, new int[] {0, 1, 2, 3, 4});
        cell.acquires = new int[] {1, 0, 0, 0, 1};
        cell.restarts = 2;
        cell.horizon = 3;
    }

    static void newcomers(Cell cell) {
        change(cell, 5, new int[] {0, 1}, new int[] {0, 1, 2, 3, 4});
        cell.acquires = new int[] {1, 0, 1};
        cell.firstNewcomer = 2;
        cell.restarts = 0;
        cell.horizon = 3;
    }

    /** The maximum lease time of three members becomes a quarter of what it was. */
    static void shorterMaximum(Cell cell) {
        int[] all = {0, 1, 2};
        change(cell, 3, all, all);
        cell.leaseUnits = 4;
        cell.maxLeaseUnits = 4;
        cell.maxLeaseUnitsAfter = 1;
        cell.horizon = 6;
    }

    /** Nodes that are no members before the change have just been started with what comes after it. */
    private static void change(Cell cell, int size, int[] before, int[] after) {
        cell.acceptors = size;
        cell.checksTokens = true;
        cell.attempts = 1;
        cell.leaseUnits = 1;
        cell.maxLeaseUnits = 1;
        cell.firstNewcomer = before.length;
        cell.members = new int[size][];
        cell.membersAfter = new int[size][];
        for (int node = 0; node < size; node++) {
            cell.members[node] = node < before.length ? before : after;
            cell.membersAfter[node] = after;
        }
    }

    /** Cells that run Flease: two of three acceptors propose, unless told otherwise. */
    static List<Cell> flease() {
        List<Cell> cells = new ArrayList<>();
        cells.add(flease("two acceptors: acquire, retry", cell -> two(cell)));
        cells.add(flease("two acceptors: acquire, release, hand over", cell -> {
            two(cell);
            cell.attempts = 1;
            cell.releases = 1;
        }));
        cells.add(flease("two acceptors: acquire, restart", cell -> {
            two(cell);
            cell.attempts = 1;
            cell.restarts = 1;
            cell.horizon = 4;
        }));
        cells.add(flease("two acceptors: acquire, a clock is set", cell -> {
            two(cell);
            cell.attempts = 1;
            cell.wallSteps = 1;
            cell.wallStepUnits = -2;
            cell.horizon = 3;
        }));
        cells.add(flease("two acceptors, one asks: renew, release, restart", cell -> {
            two(cell);
            cell.acquires = new int[] {2, 0};
            cell.renewals = 1;
            cell.releases = 1;
            cell.restarts = 1;
        }));
        cells.add(flease("three acceptors, one asks: acquire, restart", cell -> {
            cell.acquires = new int[] {1};
            cell.attempts = 1;
            cell.restarts = 1;
            cell.horizon = 2;
        }));
        cells.add(flease("three acceptors: acquire", cell -> {
            cell.attempts = 1;
            cell.horizon = 1;
        }));
        return cells;
    }

    static Cell fleaseWithoutSilence() {
        return flease("a restart without silence", cell -> {
            two(cell);
            cell.acceptors = 3;
            cell.acquires = new int[] {1, 0, 1};
            cell.attempts = 1;
            cell.restarts = 1;
            cell.horizon = 0;
            cell.maxLeaseUnits = 5; // so many bounds that nothing but the silence keeps rounds of this time out
            cell.quarantineShortBy = cell.maxLeaseUnits + cell.boundUnits;
        });
    }

    private static Cell flease(String name, Consumer<Cell> bounds) {
        return cell("Flease, " + name, cell -> {
            cell.boundUnits = 1;
            cell.maxLeaseUnits = 2;
            cell.leaseUnits = 1;
            bounds.accept(cell);
        });
    }

    /** @param shortBy how many units the quarantine is shorter than it must be */
    static Cell tightQuarantine(int shortBy) {
        return cell("two acceptors and a guest, quarantine short by " + shortBy, cell -> {
            cell.acceptors = 1;
            cell.proposers = 2;
            cell.acquires = new int[] {0, 1, 1};
            cell.wallOffsetsMillis = new int[] {-1, 0, 0};
            cell.attempts = 1;
            cell.leaseUnits = 3;
            cell.maxLeaseUnits = 3;
            cell.horizon = 5;
            cell.restarts = 1;
            cell.quarantineShortBy = shortBy;
        });
    }

    static Cell tightQuarantineOfWorstRates(int shortBy) {
        Cell cell = tightQuarantine(shortBy);
        cell.gamma = 2;
        cell.rates = new int[] {2, 1, 1};
        return cell;
    }
}
