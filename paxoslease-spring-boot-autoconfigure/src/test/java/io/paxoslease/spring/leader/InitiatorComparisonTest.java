package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.InitiatorCell.LEASE_TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** How many lead at once, and how long. */
@Tag("slow")
class InitiatorComparisonTest extends ComparedInitiators {

    /** How long a fault is looked at once it shows. */
    private static final Duration LOOK = Duration.ofMillis(500);
    /** After thirty seconds of the cell's time the lease is released in any case. */
    private static final Duration FINISHING = Duration.ofSeconds(29);

    // (a) the store hangs, or the node is cut off

    @Test
    void whileTheStoreHangsForTheLeaderTheirsHasTwoLeaders() {
        TtlStore locks = store(TTL);
        LockRegistryLeaderInitiator first = theirs(locks, a);
        await().until(() -> first.getContext().isLeader());
        locks.hang("a");
        LockRegistryLeaderInitiator second = theirs(locks, b);
        Duration overlap = overlap(first, second);

        assertThat(overlap).as(BETTER).isPositive();
        locks.steal("other"); // b's own row may be as old as that
        locks.letGo();
        await().until(() -> !first.getContext().isLeader());
        row(
                "a",
                "theirs",
                "two leaders from %s ms on until the store answers: measured %s".formatted(TTL.toMillis(), overlap));
    }

    @Test
    void whileTheLeaderIsCutOffOursNeverHasTwo() {
        InitiatorCell ours = cell();
        PaxosLeaseLeaderInitiator first = startLeader(ours);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        ours.cell.disconnect("a");
        Duration led = Duration.ZERO;
        Duration leaderless = Duration.ZERO;
        while (!ours.isHeldBy("b")) {
            assertThat(first.isLeader() && second.isLeader()).isFalse();
            ours.advance(STEP);
            if (first.isLeader()) {
                led = led.plus(STEP);
            } else {
                leaderless = leaderless.plus(STEP);
            }
        }
        assertThat(first.isLeader()).isFalse();
        await().until(second::isLeader);
        assertNeverTwo(ours, first, second, LEASE_TIME.multipliedBy(3));
        assertThat(second.isLeader()).isTrue();
        row("a", "ours", "no overlap; no node leads for %s (lease time %s)".formatted(leaderless, LEASE_TIME));
        assertThat(led).isLessThan(LEASE_TIME);
    }

    // (b) onGranted takes longer than the lease

    @Test
    void whileOnGrantedWorksTheirsHasTwoLeaders() {
        a.onGranted = () -> InitiatorCell.hang(end);
        TtlStore locks = store(TTL);
        LockRegistryLeaderInitiator first = theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        LockRegistryLeaderInitiator second = theirs(locks, b);
        Duration overlap = overlap(first, second);

        assertThat(overlap).as(BETTER).isPositive();
        row(
                "b",
                "theirs",
                "two leaders from %s ms on until it returns: measured %s".formatted(TTL.toMillis(), overlap));
    }

    @Test
    void whileOnGrantedWorksOursLeadsAlone() {
        a.onGranted = () -> InitiatorCell.hang(end);
        InitiatorCell ours = cell();
        PaxosLeaseLeaderInitiator first = startLeader(ours);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        assertNeverTwo(ours, first, second, LONG);
        assertThat(first.isLeader()).isTrue();
        assertThat(b.grants).hasValue(0);
        row("b", "ours", "no overlap; it leads on, here for %s".formatted(LONG));
    }

    // (c) leadership is given up while onRevoked takes its time

    @Test
    void theNextLeaderOfTheirsStartsBeforeTheLastHasFinished() {
        CountDownLatch revoking = new CountDownLatch(1);
        a.onRevoked = () -> {
            revoking.countDown();
            InitiatorCell.hang(end);
        };
        TtlStore locks = store(TTL);
        theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        a.yieldLeadership();
        await().until(() -> revoking.getCount() == 0);
        long start = System.nanoTime();
        theirs(locks, b);
        await(BETTER).until(() -> b.grants.get() == 1);
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

        assertThat(a.revocations).as(BETTER).hasValue(0);
        row(
                "c",
                "theirs",
                "the next one is granted while onRevoked runs: measured %s ms after it asked".formatted(took));
    }

    @Test
    void theNextLeaderOfOursWaitsUntilTheLastHasFinished() {
        a.onRevoked = () -> InitiatorCell.hang(end);
        b.onGranted = () -> assertThat(a.revocations).hasValue(1);
        InitiatorCell ours = cell();
        startLeader(ours);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        a.yieldLeadership();
        for (Duration past = Duration.ZERO; past.compareTo(FINISHING) < 0; past = past.plus(STEP)) {
            ours.advance(STEP);
            assertThat(ours.isHeldBy("b")).isFalse();
        }
        assertThat(b.grants).hasValue(0);
        end.countDown();
        await().until(second::isLeader);
        row("c", "ours", "the next one is granted after onRevoked, here %s later".formatted(FINISHING));
    }

    private static Duration overlap(LockRegistryLeaderInitiator first, LockRegistryLeaderInitiator second) {
        BooleanSupplier both =
                () -> first.getContext().isLeader() && second.getContext().isLeader();
        await(BETTER).until(both::getAsBoolean);
        long start = System.nanoTime();
        long last = start;
        while (last - start < LOOK.toNanos() && both.getAsBoolean()) {
            LockSupport.parkNanos(STEP.toNanos());
            last = System.nanoTime();
        }
        return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(last - start));
    }

    private static void assertNeverTwo(
            InitiatorCell ours, PaxosLeaseLeaderInitiator first, PaxosLeaseLeaderInitiator second, Duration time) {
        for (Duration past = Duration.ZERO; past.compareTo(time) < 0; past = past.plus(STEP)) {
            ours.advance(STEP);
            assertThat(first.isLeader() && second.isLeader()).isFalse();
        }
    }
}
