package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.NodeAdmin;
import io.paxoslease.PaxosLease;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node keeps a lock's lease, and somebody else wants it. The clock stands still unless a test moves it. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class KeptLockSharingTest {

    private static final LockOptions OPTIONS =
            LockOptions.builder().idleRetention(Duration.ofHours(1)).build();
    private static final AcquireOptions ASK_ONCE =
            AcquireOptions.builder().maxWait(Duration.ZERO).build();
    /** Nodes wait so long at most before they ask again for what was released. */
    private static final Duration SOON = Duration.ofMillis(100);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final PaxosLease a = cell.node("a");
    private final LeaseLock mine = new LeaseLocks(a, OPTIONS).get("k");
    private final LeaseLock theirs = new LeaseLocks(cell.node("b"), OPTIONS).get("k");
    private final List<String> entered = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        cell.close();
    }

    @Test
    void whatNobodyUsesIsGivenUpAtOnce() throws Exception {
        long token = use(mine);
        Background<Long> other = Background.start(() -> use(theirs));

        assertThat(soon(other)).isGreaterThan(token);
        assertThat(a.monitor().heldLeases()).isZero();
        assertThat(cell.node("b").monitor().heldLeases()).isEqualTo(1);
    }

    @Test
    void whatAThreadUsesIsGivenUpAtItsUnlock() throws Exception {
        use(mine);
        mine.lock();
        mine.lock();
        Background<Long> other = Background.start(() -> use(theirs));
        other.awaitBlocked();
        cell.advance(SOON);
        assertThat(mine.isHeldByCurrentThread()).isTrue();
        mine.unlock();
        assertThat(a.monitor().heldLeases()).isEqualTo(1);
        mine.unlock();
        assertThat(a.monitor().heldLeases()).isZero();
        cell.advance(SOON);

        assertThat(other.result()).isPositive();
    }

    /** Whoever holds the lock when another node asks for it is the last here, however many queue. */
    @Test
    void withOneTurnTheOtherNodeIsNext() throws Exception {
        assertThat(orderWithTurns(1)).startsWith("a0", "b");
    }

    @Test
    void withThreeTurnsTwoMoreThreadsOfThisNodeComeFirst() throws Exception {
        assertThat(orderWithTurns(3)).startsWith("a0", "a1", "a2", "b");
    }

    /** A thread of this node holds the lock, four wait here, and one elsewhere. */
    private List<String> orderWithTurns(int turns) throws Exception {
        LeaseLock local =
                new LeaseLocks(a, OPTIONS.toBuilder().maxLocalHandoffs(turns).build()).get("k");
        local.lock();
        entered.add("a0");
        List<Background<?>> all = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            String name = "a" + i;
            Background<Boolean> waiting = Background.start(() -> enter(local, name));
            waiting.awaitBlocked();
            all.add(waiting);
        }
        Background<Boolean> other = Background.start(() -> enter(theirs, "b"));
        other.awaitBlocked();
        all.add(other);
        cell.advance(SOON);
        local.unlock();
        // The clock stands still until then: at a renewal between two threads the lease would be given up.
        Eventually.until("the other node has had the lock", () -> entered.contains("b"));
        for (Background<?> each : all) {
            soon(each);
        }
        return entered;
    }

    private boolean enter(LeaseLock lock, String name) {
        lock.lock();
        entered.add(name);
        lock.unlock();
        return true;
    }

    /** The thread that the lease was passed on to does not come: nobody else would give it up. */
    @Test
    void aThreadThatStopsToWaitDoesNotLeaveTheLeaseBehind() throws Exception {
        LeaseLock local =
                new LeaseLocks(a, OPTIONS.toBuilder().maxLocalHandoffs(100).build()).get("k");
        for (int i = 0; i < 50; i++) {
            local.lock();
            Background<Boolean> first = Background.start(() -> local.tryLock(1, TimeUnit.HOURS) && unlocked(local));
            first.awaitBlocked();
            Background<Boolean> other = Background.start(() -> enter(theirs, "b"));
            other.awaitBlocked();
            cell.advance(SOON);
            local.unlock();
            first.interrupt();
            Eventually.until("the thread has had the lock or has stopped to wait", first::isDone);
            cell.advance(SOON.multipliedBy(10)); // before the other node asks again
            Eventually.until("the other node has had the lock", other::isDone);
            soon(Background.start(() -> enter(local, "a")));
        }
    }

    @Test
    void aLeaseThatWasWantedIsNotKeptAnyMoreAndTheNextOneIs() throws Exception {
        use(mine);
        soon(Background.start(() -> use(theirs)));
        long again = soon(Background.start(() -> use(mine)));

        assertThat(a.monitor().heldLeases()).isEqualTo(1);
        assertThat(use(mine)).isEqualTo(again);
    }

    @Test
    void anotherUserOfTheSameNodeGetsWhatIsKeptAtOnce() throws Exception {
        use(mine);
        Lease lease = a.tryAcquire("lock:k", ASK_ONCE).orElseThrow();
        assertThat(mine.tryLock()).isFalse();
        lease.release();

        LeaseLock same = new LeaseLocks(a, OPTIONS).get("k");
        use(mine);
        assertThat(same.tryLock()).isTrue();
        assertThat(mine.tryLock()).isFalse();
        same.unlock();
        assertThat(mine.tryLock()).isTrue();
    }

    /** Both have asked before either was granted. */
    @Test
    void anotherUserOfTheSameNodeThatQueuedForTheLeaseIsNext() throws Exception {
        LeaseLock same = new LeaseLocks(a, OPTIONS).get("k");
        theirs.lock();
        List<Background<Long>> waiting = List.of(Background.start(() -> use(mine)), Background.start(() -> use(same)));
        waiting.forEach(Background::awaitBlocked);
        cell.advance(SOON);
        theirs.unlock();
        cell.advance(SOON);

        for (Background<Long> each : waiting) {
            assertThat(each.result()).isPositive();
        }
    }

    @Test
    void anOperatorTakesAKeptLeaseAwayAndNobodyIsTold() {
        use(mine);
        assertThat(a.admin().giveUp("lock:k")).isEqualTo(NodeAdmin.GivenUp.RELEASED);

        assertThat(a.monitor().heldLeases()).isZero();
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    /** Leases of elections and plain ones are not asked to go. */
    @Test
    void aPlainLeaseStaysHoweverMuchItIsWanted() throws Exception {
        Lease plain = a.tryAcquire("lock:k", ASK_ONCE).orElseThrow();
        Background<Boolean> other = Background.start(() -> theirs.tryLock(1, TimeUnit.SECONDS));
        other.awaitBlocked();
        cell.advance(Duration.ofSeconds(1));

        assertThat(other.result()).isFalse();
        assertThat(mine.tryLock()).isFalse();
        assertThat(plain.isHeld()).isTrue();
    }

    /** The clock goes on until it has ended. */
    private <T> T soon(Background<T> thread) throws Exception {
        while (!thread.isDone()) {
            cell.advance(Duration.ofMillis(1));
        }
        return thread.result();
    }

    private static boolean unlocked(LeaseLock held) {
        held.unlock();
        return true;
    }

    private static long use(LeaseLock lock) {
        lock.lock();
        long token = lock.fencingToken();
        lock.unlock();
        return token;
    }
}
