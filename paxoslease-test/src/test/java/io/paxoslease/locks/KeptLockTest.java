package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.LeaseLostException;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock's lease between two holds of one node. {@link KeptLockSharingTest} is about others that want it. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class KeptLockTest {

    private static final Duration KEEP = Duration.ofSeconds(1);
    private static final Duration ALMOST = KEEP.minusMillis(1);
    private static final LockOptions OPTIONS =
            LockOptions.builder().idleRetention(KEEP).build();

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final PaxosLease a = cell.node("a");
    private final LeaseLock lock = locks(OPTIONS);

    private LeaseLock locks(LockOptions options) {
        return new LeaseLocks(a, options).get("k");
    }

    @AfterEach
    void close() {
        cell.close();
    }

    @Test
    void theNextHoldHasTheSameLeaseAndTheSameToken() {
        long token = tokenOfAHold(lock);

        assertThat(a.monitor().heldLeases()).isEqualTo(1);
        assertThat(a.monitor().status("lock:k").map(LeaseStatus::state)).contains(LeaseStatus.State.HELD);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.remaining()).isZero();
        assertThat(tokenOfAHold(lock)).isEqualTo(token);
    }

    @Test
    void withNothingKeptEachHoldHasALeaseOfItsOwn() {
        LeaseLock unkept =
                locks(OPTIONS.toBuilder().idleRetention(Duration.ZERO).build());
        long token = tokenOfAHold(unkept);

        assertThat(a.monitor().heldLeases()).isZero();
        assertThat(tokenOfAHold(unkept)).isGreaterThan(token);
    }

    @Test
    void aLeaseIsKeptSoLongAfterItsLastUse() {
        tokenOfAHold(lock);
        cell.advance(ALMOST);
        assertThat(a.monitor().heldLeases()).isEqualTo(1);

        tokenOfAHold(lock);
        cell.advance(ALMOST);
        assertThat(a.monitor().heldLeases()).isEqualTo(1);
        cell.advance(Duration.ofMillis(1));
        assertThat(a.monitor().heldLeases()).isZero();
        assertThat(a.monitor().status("lock:k").map(LeaseStatus::state)).isNotEqualTo(LeaseStatus.State.HELD);
    }

    /** The timer finds it in use; the unlock sets the next. */
    @Test
    void aLeaseThatIsInUseWhenItsTimeIsOverIsKeptAfterThatUse() {
        tokenOfAHold(lock);
        lock.lock();
        cell.advance(KEEP.multipliedBy(5));
        lock.unlock();
        cell.advance(ALMOST);
        assertThat(a.monitor().heldLeases()).isEqualTo(1);
        cell.advance(Duration.ofMillis(1));
        assertThat(a.monitor().heldLeases()).isZero();
    }

    @Test
    void aKeptLeaseIsRenewed() {
        LeaseLock longKept =
                locks(OPTIONS.toBuilder().idleRetention(Duration.ofMinutes(10)).build());
        long token = tokenOfAHold(longKept);
        cell.advance(Duration.ofMinutes(9));

        assertThat(tokenOfAHold(longKept)).isEqualTo(token);
        cell.advance(Duration.ofMinutes(10));
        assertThat(a.monitor().heldLeases()).isZero();
    }

    @Test
    void theLossOfALeaseThatNobodyUsesIsSilent() {
        List<String> told = new CopyOnWriteArrayList<>();
        a.monitor().addObserver(new NodeObserver() {
            @Override
            public void lost(String resource, LossReason reason) {
                told.add(resource + " " + reason);
            }
        });
        LeaseLock longKept =
                locks(OPTIONS.toBuilder().idleRetention(Duration.ofMinutes(10)).build());
        long token = tokenOfAHold(longKept);
        cell.disconnect("a");
        cell.advance(Duration.ofSeconds(10));
        assertThat(a.monitor().heldLeases()).isZero();
        cell.reconnect("a");

        assertThat(told).isEmpty();
        assertThat(a.monitor().resources()).isEmpty();
        assertThat(tokenOfAHold(longKept)).isGreaterThan(token);
    }

    @Test
    void theLossOfALeaseThatAThreadUsesIsToldAsEver() {
        List<String> told = new CopyOnWriteArrayList<>();
        tokenOfAHold(lock);
        lock.lock();
        lock.onLost(() -> told.add("lost"));
        cell.disconnect("a");
        cell.advance(Duration.ofSeconds(10));

        assertThat(told).containsExactly("lost");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        cell.reconnect("a");
        tokenOfAHold(lock);
    }

    /** One lease, three holds, and it is lost during the third. */
    @Test
    void whatIsToldOfALossBelongsToTheHoldAndNotToTheLease() {
        List<String> told = new CopyOnWriteArrayList<>();
        for (String hold : List.of("first", "second", "third")) {
            lock.lock();
            lock.onLost(() -> told.add(hold));
            if (!hold.equals("third")) {
                lock.unlock();
            }
        }
        a.admin().giveUp("lock:k");
        cell.advance(Duration.ZERO);

        assertThat(told).containsExactly("third");
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void aLossBetweenTwoHoldsInterruptsNobody() {
        LeaseLock interrupting = locks(OPTIONS.toBuilder().interruptOnLoss(true).build());
        tokenOfAHold(interrupting);
        a.admin().giveUp("lock:k");
        cell.advance(Duration.ZERO);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        tokenOfAHold(interrupting);
        interrupting.lock();
        a.admin().giveUp("lock:k");
        cell.advance(Duration.ZERO);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(interrupting::unlock);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Row 32: the loop hangs, so nobody has noticed that the lease is over. */
    @Test
    void aLeaseThatEndedBetweenTwoHoldsIsNoLock() {
        assertThat(new LateReuse().get()).isEmpty();
    }

    @Test
    void aLockForAFixedTimeIsNeitherKeptNorTakenOnAKeptLease() throws Exception {
        long token = tokenOfAHold(lock);
        lock.lock(Duration.ofSeconds(2));
        long fixed = lock.fencingToken();
        assertThat(fixed).isGreaterThan(token);
        lock.unlock();
        assertThat(a.monitor().heldLeases()).isZero();

        tokenOfAHold(lock);
        assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(2))).isTrue();
        cell.advance(Duration.ofSeconds(2));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThat(a.monitor().heldLeases()).isZero();

        LeaseLock brief =
                locks(OPTIONS.toBuilder().leaseTime(Duration.ofSeconds(2)).build());
        tokenOfAHold(brief);
        assertThat(a.monitor().heldLeases()).isZero();
    }

    @Test
    void anInnerHoldDoesNotEndAKeptLease() {
        long token = tokenOfAHold(lock);
        lock.lock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.fencingToken()).isEqualTo(token);
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void theStopOfTheNodeFreesWhatIsKept() {
        tokenOfAHold(lock);
        a.stop();

        assertThat(new LeaseLocks(cell.node("b"), OPTIONS).get("k").tryLock()).isTrue();
    }

    /** A timer of an earlier life of the node never comes. */
    @Test
    void afterARestartOfTheNodeALeaseIsKeptNoLongerThanBefore() {
        tokenOfAHold(lock);
        a.stop();
        a.start();
        cell.advance(Duration.ofSeconds(30));
        tokenOfAHold(lock);
        assertThat(a.monitor().heldLeases()).isEqualTo(1);
        cell.advance(KEEP);
        assertThat(a.monitor().heldLeases()).isZero();
    }

    @Test
    void forgettingALockGivesUpItsLease() {
        LeaseLocks locks = new LeaseLocks(a, OPTIONS);
        tokenOfAHold(locks.get("k"));
        cell.advance(ALMOST);
        locks.expireUnusedOlderThan(KEEP);
        assertThat(a.monitor().heldLeases()).isEqualTo(1);

        locks.expireUnusedOlderThan(ALMOST);
        assertThat(a.monitor().heldLeases()).isZero();
    }

    @Test
    void optionsOutOfBoundsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        OPTIONS.toBuilder().idleRetention(Duration.ofNanos(-1)).build())
                .withMessageContaining("use zero to give a lock up at each unlock");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.toBuilder().maxLocalHandoffs(0).build())
                .withMessageContaining("at least 1");
    }

    private static long tokenOfAHold(LeaseLock lock) {
        lock.lock();
        long token = lock.fencingToken();
        lock.unlock();
        return token;
    }
}
