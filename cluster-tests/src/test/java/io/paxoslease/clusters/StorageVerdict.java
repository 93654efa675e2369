package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What came of chaos in a store.
 *
 * @param chaos what happened, for the report
 * @param nextLeader how long after its end an instance led by a new lease
 * @param history of the leadership
 * @param traffic of the locks
 * @param boundWasKept by the writes of all instances, as far as they have noticed
 */
record StorageVerdict(StorageChaos chaos, Duration nextLeader, History history, Traffic traffic, boolean boundWasKept) {

    /** What an instance logs that only reads and writes, when a write has taken longer than the access bound. */
    private static final String BOUND_BROKEN = "leases in this store are not safe";

    private static final int SHOWN = 5;
    /** Fewer would say little. */
    private static final int ENOUGH = 20;

    /** Waits until every instance leads or acquires locks again, and ends them. */
    static StorageVerdict after(StorageChaos chaos, StorageCell cell) {
        Duration nextLeader = cell.awaitService();
        cell.awaitAllServe();
        cell.close();
        StorageVerdict verdict = new StorageVerdict(
                chaos, nextLeader, cell.history(), cell.traffic(), !cell.logs().contains(BOUND_BROKEN));
        System.out.println(verdict);
        return verdict;
    }

    private List<String> violations() {
        return Stream.concat(history.violations().stream(), traffic.violations().stream())
                .limit(SHOWN)
                .toList();
    }

    /** No two held a lease at once, and tokens rose from holder to holder. */
    StorageVerdict assertExclusive() {
        assertThat(violations()).as("%s", chaos).isEmpty();
        return this;
    }

    /**
     * The same in a store that only reads and writes, which promises it while the bound is kept: where a machine that stands still broke it,
     * there is nothing to judge.
     */
    StorageVerdict assertExclusiveIfTheBoundWasKept() {
        assumeTrue(
                boundWasKept || violations().isEmpty(), () -> "A write took longer than the access bound, and " + this);
        return assertExclusive();
    }

    /** What remains of it where the bound was broken: no two leaderships, and no two locks of one name, had one token. */
    StorageVerdict assertTokensTellHoldersApart() {
        assertThat(SharedTokens.of(history, traffic))
                .as("tokens of several holders after %s", chaos)
                .isEmpty();
        return this;
    }

    /** There was something to judge: work of leaders, and locks. Whether a fault meets the leader, and leadership is handed over, is chance. */
    StorageVerdict assertBusy() {
        assertThat(history.working()).as("work of %s", chaos).isNotEmpty();
        assertThat(traffic.calls().stream().filter(Traffic.Call::isCertain))
                .as("locks of %s", chaos)
                .hasSizeGreaterThan(ENOUGH);
        return this;
    }

    StorageVerdict assertNextLeaderWithin(Duration bound) {
        assertThat(nextLeader).as("next leader of %s", chaos).isLessThan(bound);
        return this;
    }

    @Override
    public String toString() {
        return "%sThe next leader after %d ms; %d hand-overs, %,d locks, %,d calls without one, %d overlaps or tokens out of order %s%n"
                .formatted(
                        chaos,
                        nextLeader.toMillis(),
                        history.handOvers(),
                        traffic.calls().stream().filter(Traffic.Call::isCertain).count(),
                        traffic.refused(0, Long.MAX_VALUE),
                        history.violations().size() + traffic.violations().size(),
                        violations());
    }
}
