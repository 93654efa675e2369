package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.TestCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An operator takes a lease away from a node. */
@Timeout(60)
class GiveUpTest {

    private static final AcquireOptions ASK_ONCE =
            AcquireOptions.builder().maxWait(Duration.ZERO).build();

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final CountDownLatch revoking = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);
    private final TestCandidate candidate = new TestCandidate().onRevoked(leadership -> {
        revoking.countDown();
        finish.await();
    });
    private final LeaderElection election =
            LeaderElection.builder(cell.node("a"), "x").build(candidate);

    @AfterEach
    void close() {
        cell.close();
    }

    @Test
    void aLeaseIsTakenAwayAndFreeForOthers() throws Exception {
        Lease lease = Futures.get(cell.node("a").acquire("x", AcquireOptions.renewing()));
        List<LossReason> lost = new ArrayList<>();
        lease.onLost((same, reason) -> lost.add(reason));

        assertThat(cell.node("b").admin().giveUp("x")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
        assertThat(lease.isHeld()).isTrue();
        assertThat(cell.node("a").admin().giveUp("x")).isEqualTo(NodeAdmin.GivenUp.RELEASED);

        assertThat(lease.isHeld()).isFalse();
        assertThat(cell.node("b").tryAcquire("x", ASK_ONCE)).isPresent();
        cell.advance(Duration.ZERO);
        assertThat(lost).containsExactly(LossReason.REVOKED);
        assertThat(cell.node("a").admin().giveUp("x")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
    }

    @Test
    void aLockThatWasTakenAwayIsLostForItsOwner() throws Exception {
        LeaseLock lock = new LeaseLocks(cell.node("a"), LockOptions.defaults()).get("k");
        assertThat(lock.tryLock()).isTrue();

        assertThat(cell.node("a").admin().giveUp("lock:k")).isEqualTo(NodeAdmin.GivenUp.RELEASED);

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(catchThrowable(lock::unlock)).isInstanceOf(LeaseLostException.class);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    /** However often it is asked: what runs on the leader ends before another may lead. */
    @Test
    void aRoleIsReleasedWhenItsCandidateHasFinished() throws Exception {
        election.start();
        Leadership leadership = candidate.awaitGranted();

        assertThat(cell.node("a").admin().giveUp("role:x")).isEqualTo(NodeAdmin.GivenUp.YIELDED);
        revoking.await();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(cell.node("a").admin().giveUp("role:x")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
        assertThat(cell.node("b").tryAcquire("role:x", ASK_ONCE)).isEmpty();

        finish.countDown();
        assertThat(election.stop(Duration.ofSeconds(20))).isTrue();
        assertThat(cell.node("b").tryAcquire("role:x", ASK_ONCE)).isPresent();
    }

    /** The election is gone from the list, but what runs on the leader has not finished. */
    @Test
    void aRoleThatIsBeingStoppedIsNotTakenAway() throws Exception {
        election.start();
        assertThat(candidate.awaitGranted().isLeader()).isTrue();

        Thread.currentThread().interrupt(); // so that the stop does not wait
        assertThat(election.stop(Duration.ofSeconds(20))).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        revoking.await();
        assertThat(cell.node("a").admin().giveUp("role:x")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
        assertThat(cell.node("b").tryAcquire("role:x", ASK_ONCE)).isEmpty();
        finish.countDown();
        assertThat(election.stop(Duration.ofSeconds(20))).isTrue();
        assertThat(cell.node("b").tryAcquire("role:x", ASK_ONCE)).isPresent();
    }

    @Test
    void aNodeThatIsStoppedHoldsNothing() {
        cell.node("a").stop();

        assertThat(cell.node("a").admin().giveUp("x")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
    }
}
