package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.InitiatorCell.LEASE_TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.spring.lock.PaxosLeaseLock;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of a leader initiator while it leads, point by point; the end of leadership is in {@link
 * LeaderInitiatorEndTest}.
 */
@Timeout(60) // if no thread moves the clock, the test hangs
class LeaderInitiatorContractTest {

    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Duration MANY_LEASE_TIMES = LEASE_TIME.multipliedBy(100);

    private final InitiatorCell cell = new InitiatorCell();
    private final ScriptedCandidate a = new ScriptedCandidate();
    private final ScriptedCandidate b = new ScriptedCandidate();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void stop() {
        end.countDown();
        cell.close();
    }

    /** 1: the node's thread stands still, and the election's thread hangs in a listener. */
    @Test
    void leadershipEndsAtItsDeadlineEvenWhenEveryThreadHangs() throws InterruptedException {
        a.onGrantedEvent(context -> InitiatorCell.hang(end));
        PaxosLeaseLeaderInitiator first = cell.start("a", a);
        LeaderContext context = a.nextGrant();
        PaxosLeaseLeaderInitiator second = cell.start("b", b);
        cell.awaitAsking(1);
        cell.cell.suspend("a");
        Duration left = context.remaining();

        cell.advance(left.minus(MILLI));
        assertThat(first.isLeader()).isTrue();
        assertThat(context.remaining()).isPositive().isLessThanOrEqualTo(MILLI);
        cell.advance(MILLI);
        assertThat(first.isLeader()).isFalse();
        assertThat(context.isLeader()).isFalse();
        assertThat(first.getContext().isLeader()).isFalse();
        assertThat(a.isEmpty()).isTrue();
        assertThat(second.isLeader()).isFalse();

        cell.advance(LEASE_TIME);
        b.nextGrant();
        assertThat(second.isLeader()).isTrue();
        cell.cell.resume("a");
        assertThat(first.isLeader()).isFalse();
    }

    /** 2 */
    @Test
    void grantsAndRevocationsAlternateAndNeverOverlap() throws InterruptedException {
        List<Boolean> stillLeading = new CopyOnWriteArrayList<>();
        a.onRevoked(context -> stillLeading.add(context.isLeader()));
        PaxosLeaseLeaderInitiator initiator = cell.start("a", a);
        for (int round = 0; round < 5; round++) {
            LeaderContext context = a.nextGrant();
            assertThat(initiator.isLeader()).isTrue();
            if (round % 2 == 0) {
                context.yield();
                assertThat(initiator.isLeader()).isFalse();
                a.nextRevocation();
                cell.awaitPausing();
                cell.advance(Duration.ofSeconds(1));
            } else {
                cell.cell.disconnect("a");
                cell.advance(LEASE_TIME);
                assertThat(initiator.isLeader()).isFalse();
                a.nextRevocation();
                cell.cell.reconnect("a");
                cell.advance(LEASE_TIME);
            }
        }
        a.nextGrant();
        assertThat(a.overlaps).hasValue(0);
        assertThat(stillLeading).hasSize(5).containsOnly(false);
    }

    /** 2: no grant waits behind a call, to be told when it may have been lost again. */
    @Test
    void whileTheCandidateIsBusyWithItsRevocationNoLeaseIsAskedFor() throws InterruptedException {
        a.onRevoked(context -> InitiatorCell.hang(end));
        cell.start("a", a);
        a.nextGrant();
        cell.cell.disconnect("a");
        cell.advance(LEASE_TIME);
        a.next("revoked");
        cell.cell.reconnect("a");
        cell.advance(MANY_LEASE_TIMES);
        assertThat(cell.isHeldBy("a")).isFalse();
        Lease other = cell.cell
                .node("b")
                .acquire("role:billing", AcquireOptions.renewing())
                .join();

        end.countDown();
        a.next("revoked event");
        cell.awaitAsking(1);
        other.release();
        cell.advance(Duration.ofMillis(10));
        a.nextGrant();
        assertThat(a.isEmpty()).isTrue();
    }

    /** 2: a candidate that has seen nothing but the grant of a lost leadership is not told that it leads. */
    @Test
    void aGrantThatIsLostBeforeOnGrantedHasReturnedIsNotAnnounced() throws InterruptedException {
        a.onGranted(context -> InitiatorCell.hang(end));
        cell.start("a", a);
        LeaderContext context = (LeaderContext) a.next("granted").context();
        cell.cell.disconnect("a");
        cell.advance(LEASE_TIME);
        assertThat(context.isLeader()).isFalse();
        end.countDown();
        assertThat(a.next("revoked").context()).isSameAs(context);
        cell.awaitAsking(1);
        assertThat(a.isEmpty()).isTrue();
    }

    /** 3 */
    @Test
    void theLeaseIsRenewedWhileOnGrantedOrAListenerBlocks() throws InterruptedException {
        CountDownLatch granted = new CountDownLatch(1);
        a.onGranted(context -> InitiatorCell.hang(granted));
        a.onGrantedEvent(context -> InitiatorCell.hang(end));
        PaxosLeaseLeaderInitiator initiator = cell.start("a", a);
        LeaderContext context = (LeaderContext) a.next("granted").context();
        long token = context.fencingToken();

        cell.advance(MANY_LEASE_TIMES);
        assertThat(initiator.isLeader()).isTrue();
        granted.countDown();
        a.next("granted event");
        cell.advance(MANY_LEASE_TIMES);
        assertThat(initiator.isLeader()).isTrue();
        assertThat(context.isLeader()).isTrue();
        assertThat(initiator.getContext().fencingToken()).isEqualTo(token);
    }

    /** 3: after a resignation the lease is renewed as long as guarded calls still run. */
    @Test
    void theLeaseIsRenewedWhileOnRevokedBlocks() throws InterruptedException {
        a.onRevoked(context -> InitiatorCell.hang(end));
        cell.start("a", a);
        LeaderContext context = a.nextGrant();
        PaxosLeaseLeaderInitiator second = cell.start("b", b);
        cell.awaitAsking(1);
        context.yield();
        a.next("revoked");

        cell.advance(Duration.ofSeconds(29)); // after thirty the lease is released in any case
        assertThat(cell.isHeldBy("a")).isTrue();
        assertThat(second.isLeader()).isFalse();
        end.countDown();
        b.nextGrant();
    }

    /** 8 */
    @Test
    void theContextTellsTheLeaderTheTokenAndTheTimeLeft() throws InterruptedException {
        PaxosLeaseLeaderInitiator first = cell.start("a", a);
        LeaderContext context = a.nextGrant();
        PaxosLeaseLeaderInitiator second = cell.start("b", b);
        cell.awaitAsking(1);

        assertThat(context.leaderId()).contains("a");
        assertThat(second.getContext().leaderId()).as("a hint").contains("a");
        assertThat(first.getContext()).isEqualTo(context);
        Duration left = context.remaining();
        cell.advance(Duration.ofMillis(100));
        assertThat(context.remaining()).isEqualTo(left.minusMillis(100));

        context.yield();
        LeaderContext next = b.nextGrant();
        assertThat(next.fencingToken()).isGreaterThan(context.fencingToken());
        assertThat(context.remaining()).isZero();
        await().untilAsserted(() -> assertThat(context.leaderId()).contains("b"));
    }

    /** 9 */
    @Test
    void aLockAndARoleOfOneNameNeverMeet() throws InterruptedException {
        cell.start("a", a);
        a.nextGrant();
        PaxosLeaseLock lock = new PaxosLeaseLockRegistry(cell.cell.node("b")).obtain(InitiatorCell.ROLE);
        assertThat(lock.tryLock()).isTrue();
        try {
            assertThat(cell.isHeldBy("a")).isTrue();
            assertThat(cell.isHeldBy("b")).isFalse();
            assertThat(cell.cell.node("b").monitor().status("lock:billing")).isPresent();
        } finally {
            lock.unlock();
        }
    }
}
