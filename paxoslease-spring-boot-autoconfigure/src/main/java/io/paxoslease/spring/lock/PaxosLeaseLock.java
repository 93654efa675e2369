package io.paxoslease.spring.lock;

import java.time.Duration;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of {@link PaxosLeaseLockRegistry}: reentrant, held by one thread of the whole cell. A hold lasts as long as the
 * lease under it. When that has ended too early, because a quorum stayed away or a fixed time is over, the hold is lost:
 * the thread's next use of the lock throws {@link io.paxoslease.LeaseLostException}, which is a
 * {@link java.util.ConcurrentModificationException}, and afterwards the thread may lock afresh.
 *
 * <p>{@link #lock()} keeps waiting when interrupted, and keeps the flag. {@link #unlock()} never waits for the network;
 * in a thread that does not hold the lock it throws {@link IllegalMonitorStateException} and harms nobody.
 * {@link #newCondition()} is not supported.
 *
 * <p>With {@code paxoslease.locks.interrupt-on-loss} a loss also interrupts the thread that holds the lock, once, and never
 * after its outermost {@code unlock()}, which clears the flag if nobody has noticed: see {@link io.paxoslease.locks.LeaseLock}.
 */
public interface PaxosLeaseLock extends DistributedLock {

    /**
     * Locks for a fixed time that is not renewed.
     *
     * @throws IllegalArgumentException when the time is not positive, or longer than {@code paxoslease.max-lease-time}
     */
    @Override
    void lock(Duration ttl);

    /**
     * Locks for a fixed time that is not renewed, waiting at most the given time; zero or less asks once.
     *
     * @throws IllegalArgumentException when the time is not positive, or longer than {@code paxoslease.max-lease-time}
     */
    @Override
    boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException;

    /** Whether the calling thread holds the lock and its lease has not ended; local, never blocks. */
    boolean isHeldByCurrentThread();

    /**
     * The fencing token of the lease under the calling thread's hold: a later lease has a larger one. Holds over one lease that
     * this node keeps ({@code paxoslease.locks.keep}) share it.
     *
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    long fencingToken();

    /** How long the calling thread's hold lasts without a renewal; zero when it does not hold the lock. */
    Duration remaining();

    /**
     * Has the code run once if the lease is lost while the calling thread holds the lock, soon after the fact, on another
     * thread: the node's callback executor. At once when it is lost already. It is not begun any more when the outermost
     * {@link #unlock()} has returned or thrown; code that has begun is not waited for. It can cancel what the lock guards,
     * but it cannot unlock: that is up to the thread that holds the lock.
     *
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    void onLost(Runnable code);
}
