package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.InitiatorCell.LEASE_TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Locks that are left behind, and the cost for the other nodes. */
@Tag("slow")
class InitiatorComparisonCostTest extends ComparedInitiators {

    // (d) lost, regained, yielded

    @Test
    void theRowOfTheirsStaysHeldAfterAYieldWhenItHadBeenLostBefore() {
        AtomicLong heldAtRevocation = new AtomicLong();
        TtlStore locks = store(TTL);
        theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        locks.steal("other");
        await().until(() -> a.revocations.get() == 1);
        locks.drop("other");
        await().until(() -> a.grants.get() == 2);
        // Revoked after the release, so that nothing of it may be left.
        a.onRevoked = () -> heldAtRevocation.set("a".equals(locks.owner()) ? 1 : -1);
        a.yieldLeadership();
        await().until(() -> heldAtRevocation.get() != 0);

        assertThat(heldAtRevocation).as(BETTER).hasValue(1);
        row("d", "theirs", "the row stays held");
    }

    @Test
    void theLeaseOfOursIsFreeAfterAYieldAlsoWhenItHadBeenLostBefore() {
        InitiatorCell ours = cell();
        PaxosLeaseLeaderInitiator first = startLeader(ours);
        ours.cell.disconnect("a");
        ours.advance(LEASE_TIME.multipliedBy(2));
        await().until(() -> a.revocations.get() == 1);
        ours.awaitAsking(1);
        ours.cell.reconnect("a");
        ours.advance(LEASE_TIME);
        await().until(first::isLeader);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        a.yieldLeadership();
        await().until(second::isLeader); // no time passes
        assertThat(ours.isHeldBy("a")).isFalse();
        assertThat(a.revocations).hasValue(2);
        row("d", "ours", "free at once");
    }

    // (e) onGranted throws

    @Test
    void whenOnGrantedThrowsTheirsTriesAgainAtOnce() {
        a.onGranted = () -> {
            throw new IllegalStateException("cannot lead");
        };
        LockRegistryLeaderInitiator initiator = theirsByDefault(store(TTL), a);
        long start = System.nanoTime();
        initiator.start();
        await(BETTER).until(() -> a.revocations.get() >= 20);
        double seconds = (System.nanoTime() - start) / 1e9;

        row("e", "theirs", "%.0f grants and revocations a second".formatted(a.grants.get() / seconds));
    }

    @Test
    void whenOnGrantedThrowsOursBacksOff() {
        a.onGranted = () -> {
            throw new IllegalStateException("cannot lead");
        };
        InitiatorCell ours = cell();
        ours.start("a", a);
        List<Integer> pauses = List.of(2, 4, 8, 16, 30);
        for (int seconds : pauses) {
            ours.awaitPausing();
            int before = a.grants.get();
            ours.advance(Duration.ofSeconds(seconds).minusMillis(1));
            assertThat(ours.isPausing()).isTrue();
            assertThat(a.grants).hasValue(before);
            ours.advance(Duration.ofMillis(1));
            await().until(() -> a.revocations.get() == before + 1);
        }
        assertThat(a.grants).hasValue(6);
        row("e", "ours", "%s in the first minute, then 2 a minute".formatted(a.grants));
    }

    // (f) an idle follower

    @Test
    void anIdleFollowerOfTheirsAsksTheStoreAllTheTime() {
        TtlStore locks = store(Duration.ofMinutes(1));
        theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        LockRegistryLeaderInitiator follower = theirsByDefault(locks, b);
        long start = System.nanoTime();
        follower.start();
        await(BETTER).until(() -> locks.callsOf("b") >= 12);
        double seconds = (System.nanoTime() - start) / 1e9;

        row("f", "theirs", "%.0f store calls a second".formatted(locks.callsOf("b") / seconds));
    }

    @Test
    void anIdleFollowerOfOursSendsLessThanOneMessageASecond() {
        InitiatorCell ours = cell();
        startLeader(ours);
        startFollower(ours);
        ours.advance(LEASE_TIME);
        AtomicLong ofLeader = new AtomicLong();
        AtomicLong ofFollower = new AtomicLong();
        ours.cell.denyRequests("a", resource -> ofLeader.incrementAndGet() < 0);
        ours.cell.denyRequests("b", resource -> ofFollower.incrementAndGet() < 0);
        ours.advance(LEASE_TIME.multipliedBy(20));
        double seconds = LEASE_TIME.toSeconds() * 20.0;
        assertThat(ofFollower.get() / seconds).isLessThan(1);
        assertThat(ofLeader.get() / seconds).isBetween(1.0, 4.0);
        row(
                "f",
                "ours",
                "%.1f messages a second (the leader: %.1f)"
                        .formatted(ofFollower.get() / seconds, ofLeader.get() / seconds));
    }
}
