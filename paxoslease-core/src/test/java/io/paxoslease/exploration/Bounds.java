package io.paxoslease.exploration;

import java.util.ArrayList;
import java.util.List;
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
        return cells;
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
        return cells;
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
