package io.paxoslease.locks;

import static io.paxoslease.node.Meeting.check;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseLostException;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.interleaving.InterleavingScenario;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LeaseRaces;
import io.paxoslease.node.Meeting;
import io.paxoslease.node.TestLeases;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/** Threads that meet at one lock. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
public final class LockRaces {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final String RESOURCE = "lock:k";

    private LockRaces() {}

    /** One lock of one node. */
    private abstract static class OfOneKey implements InterleavingScenario {

        final PaxosLease node = Meeting.startedNode();
        final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());
        final LeaseLock lock = locks.get("k");
        private int inside;

        @Override
        public final void run() throws InterruptedException {
            meet();
            use();
            forget();
            Meeting.checkFree(node, RESOURCE);
            node.stop();
        }

        abstract void meet() throws InterruptedException;

        /** By the thread that has just locked it. */
        final void enterAndLeave() {
            check(++inside == 1, "two threads are inside");
            check(lock.isHeldByCurrentThread(), "a lock was granted that is not held");
            inside--;
            lock.unlock();
        }

        final void use() {
            lock.lock();
            enterAndLeave();
        }

        final void useUnlessInterrupted() {
            try {
                lock.lockInterruptibly();
            } catch (InterruptedException e) {
                return;
            }
            enterAndLeave();
        }

        /** Another user of the node, who gets it if it is given up. */
        final void want() throws InterruptedException {
            node.tryAcquire(RESOURCE, RENEWING).orElseThrow().release();
        }

        final void forget() {
            locks.expireUnusedOlderThan(Duration.ZERO);
        }
    }

    /** The lease is kept, and wanted: the last user gives it up. */
    public static final class Wanted extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            CountDownLatch used = new CountDownLatch(1);
            Meeting.Part user = () -> {
                for (int i = 0; i < 2; i++) {
                    use();
                    used.countDown();
                }
            };
            Meeting.of(user, user, () -> {
                used.await();
                want();
            });
        }
    }

    /** It is wanted when it is granted, and just when it is unlocked. */
    public static final class WantedAtOnce extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            Meeting.of(this::use, this::want);
            lock.lock();
            Meeting.of(this::enterAndLeave, this::want);
        }
    }

    /** It is wanted just when it is unlocked, and a thread waits here. */
    public static final class WantedAtUnlock extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            lock.lock();
            Thread waiting = Meeting.ahead(this::use);
            Meeting.of(this::enterAndLeave, this::want, this::use);
            waiting.join();
        }
    }

    /** It is kept for a thread that waits here, and that thread goes away. */
    public static final class Withdrawn extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            lock.lock();
            Thread waiting = Meeting.ahead(this::useUnlessInterrupted);
            Meeting.of(this::enterAndLeave, this::want, waiting::interrupt);
            waiting.join();
        }
    }

    /** It was asked for on behalf of a thread, and wanted by others all the time. */
    private abstract static class OfOneAhead extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            lock.lock();
            Thread waiting = Meeting.ahead(this::comeForIt);
            Thread wanting = Meeting.ahead(this::want);
            Meeting.of(this::enterAndLeave, this::want);
            waiting.join();
            wanting.join();
        }

        abstract void comeForIt();
    }

    /** The lease that was asked ahead may have been taken, used and kept before. */
    public static final class AskedAhead extends OfOneAhead {

        @Override
        void comeForIt() {
            use();
        }
    }

    /** It is asked for on behalf of a thread that does not want it like that. */
    public static final class AskedAheadOtherwise extends OfOneAhead {

        @Override
        void comeForIt() {
            lock.lock(TTL);
            enterAndLeave();
        }
    }

    /** The same, and the time that the thread asks for is refused. */
    public static final class AskedAheadInVain extends OfOneAhead {

        @Override
        void comeForIt() {
            try {
                lock.lock(Duration.ZERO);
            } catch (IllegalArgumentException refused) {
                return;
            }
            throw new AssertionError("locked for no time");
        }
    }

    /** Unused locks are forgotten while threads come for them. */
    public static final class Forgotten extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            use();
            Meeting.Part latecomer = () -> {
                LeaseLock present = locks.get("k");
                present.lock();
                enterAndLeave();
            };
            Meeting.of(this::use, this::use, latecomer, this::forget, this::forget);
        }
    }

    /** A key whose lock has been collected gets one new lock. */
    public static final class Collected extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            locks.get("c");
            Objects.requireNonNull(locks.reference("c")).clear();
            Meeting.Part user = () -> {
                LeaseLock mine = locks.get("c");
                check(locks.get("c") == mine, "a key has two locks");
            };
            Meeting.of(user, user, this::forget);
        }
    }

    /** A lock is forgotten whose lease was asked for ahead. */
    public static final class ForgottenAhead extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            lock.lock();
            Thread waiting = Meeting.ahead(this::useUnlessInterrupted);
            Thread wanting = Meeting.ahead(this::want);
            Meeting.of(this::enterAndLeave, waiting::interrupt, this::forget, this::want);
            waiting.join();
            wanting.join();
        }
    }

    /** The lease is lost: the thread that has the lock, and those that come for it, may find it so at any moment. */
    public static final class Outlived extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            lock.lock();
            HeldLease lease = Objects.requireNonNull(((KeyLock) lock).entry().lease());
            Meeting.of(
                    this::unlockInTimeOrNot,
                    () -> {
                        TestLeases.lose(lease, LossReason.EXPIRED);
                        TestLeases.giveUp(lease);
                    },
                    this::useInTimeOrNot,
                    this::useInTimeOrNot);
        }

        private void useInTimeOrNot() {
            lock.lock();
            unlockInTimeOrNot();
        }

        private void unlockInTimeOrNot() {
            try {
                lock.unlock();
            } catch (LeaseLostException late) {
                check(!lock.isHeldByCurrentThread(), "a lock that was lost is held");
            }
        }
    }

    /** The thread that has it has ended. */
    public static final class Orphaned extends OfOneKey {

        @Override
        void meet() throws InterruptedException {
            Thread owner = Meeting.ahead(lock::lock);
            owner.join();
            LockLease left = ((KeyLock) lock).entry();
            Meeting.of(this::use, this::use, left::closeIfAbandoned, this::want);
        }
    }

    /** The interrupt of a hold never reaches what comes after it. */
    public static final class UnlockedAndLost extends LeaseRaces.OfOneLease {

        @Override
        protected void meet() throws InterruptedException {
            LockHold hold = new LockHold(lease);
            hold.interruptOwnerOnLoss();
            Meeting.of(
                    () -> {
                        hold.end();
                        check(!Thread.currentThread().isInterrupted(), "interrupted after the hold");
                    },
                    () -> TestLeases.lose(lease, LossReason.EXPIRED));
            check(!Thread.currentThread().isInterrupted(), "interrupted after the hold");
        }
    }
}
