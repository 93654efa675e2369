package io.paxoslease.spring.lock;

import java.time.Duration;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of {@link PaxosLeaseLockRegistry}: reentrant, held by one thread of the whole cell. A hold lasts as long as
 * its lease. If the lease ends too early, because no majority answers or a fixed time is over, the hold is lost: the
 * thread's next use of the lock throws {@link io.paxoslease.LeaseLostException}, which is a
 * {@link java.util.ConcurrentModificationException}, and then the thread may lock again. Other threads may lock from the end of the lease on, those of
 * the same instance, too. When a thread ends without unlocking, its lease is released.
 *
 * <p>{@link #lock()} keeps waiting when interrupted, and keeps the flag. {@link #unlock()} never waits for the network;
 * in a thread that does not hold the lock it throws {@link IllegalMonitorStateException} and has no other effect.
 * {@link #newCondition()} is not supported.
 *
 * <p>With {@code paxoslease.locks.interrupt-on-loss} a loss also interrupts the thread that holds the lock, once, and
 * never after its outermost {@code unlock()}, which clears the flag if it is still set: see
 * {@link io.paxoslease.locks.LeaseLock}.
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
     * Locks for a fixed time that is not renewed, waiting at most the given time; zero or less tries once.
     *
     * @throws IllegalArgumentException when the time is not positive, or longer than {@code paxoslease.max-lease-time}
     */
    @Override
    boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException;

    /** Whether the calling thread holds the lock and its lease has not ended. Local, never blocks. */
    boolean isHeldByCurrentThread();

    /**
     * The fencing token of the lease under the calling thread's hold: a later lease has a larger one. Holds that use
     * one retained lease ({@code paxoslease.locks.idle-retention}) have the same token.
     *
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    long fencingToken();

    /** How long the calling thread's hold lasts without a renewal; zero if it does not hold the lock. */
    Duration remaining();

    /**
     * Registers code that runs once if the lease is lost while the calling thread holds the lock: soon after the loss,
     * on the node's callback executor; at once if it is lost already. After the outermost {@link #unlock()} has
     * returned or thrown, the code does not start; {@code unlock()} does not wait for code that has started. The code
     * can cancel the guarded work, but it cannot unlock: only the thread that holds the lock can.
     *
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    void onLost(Runnable code);
}
