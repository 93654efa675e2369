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
