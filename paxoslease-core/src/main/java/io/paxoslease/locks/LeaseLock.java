package io.paxoslease.locks;

import io.paxoslease.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * A reentrant lock that at most one thread of the whole cell holds. Ownership is a thread together with a lease: when
 * the lease ends while a thread holds the lock, that hold is <em>lost</em>, and the thread's next use of the lock
 * throws {@link LeaseLostException}; afterwards the thread may lock afresh.
 *
 * <p>{@link #lock()} waits without being interrupted and keeps the interrupt flag. {@link #unlock()} never waits for
 * the network. {@link #newCondition()} is not supported.
 *
 * <p>After the outermost unlock the node keeps the lease for a while, unless another one asks for it: a lock within that time
 * needs no network. Locks with a fixed lease time are not kept.
 *
 * <p>With {@link LockOptions#interruptOnLoss()} a loss interrupts the thread that holds the lock, once for each hold, from
 * the node's callback executor; a thread whose interrupt flag is set already is left as it is. It is never interrupted for
 * a hold whose outermost {@code unlock()} has returned or thrown. That {@code unlock()} clears the flag when this library
 * has set it, so that it does not leave the guarded region; it leaves a flag that was set before. An interrupt from
 * elsewhere that comes after ours cannot be told from it and is cleared with it: {@code unlock()} then throws
 * {@link LeaseLostException}.
 */
public interface LeaseLock extends Lock {

    /** The key that was passed to {@link LeaseLocks#get(String)}. */
    String key();

    /**
     * Locks with a fixed lease time that is not renewed. In a thread that holds the lock it asks the cell to extend the hold
     * to the given time from now, if that is later. A hold that is renewed automatically stays so.
     *
     * @param ttl at most the cell's maximum lease time; a few milliseconds may pass before this call returns
     * @throws IllegalArgumentException when the time is not positive, or above the maximum
     * @throws LeaseLostException when the lease was granted and had ended before this thread could return: the time is too
     *     short for it. The thread does not hold the lock
     */
    void lock(Duration ttl);

    /**
     * Locks with a fixed lease time that is not renewed, waiting at most the given time. In a thread that holds the lock it
     * asks the cell to extend the hold to the given time from now, if that is later, and locks once more: false when the
     * cell has not answered in time. When it is to ask once, it waits for the answer, which an outage delays until the
     * lease ends at the latest.
     *
     * @param wait how long to wait; zero or less asks once
     * @param ttl at most the cell's maximum lease time
     * @return whether the lock is held
     * @throws LeaseLostException as {@link #lock(Duration)} does
     */
    boolean tryLock(Duration wait, Duration ttl) throws InterruptedException;

    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /** Whether the calling thread holds the lock and its lease has not ended. */
    boolean isHeldByCurrentThread();

    /**
     * The fencing token of the lease under the calling thread's hold. Holds of one node that follow each other while it keeps the
     * lease ({@link LockOptions#keep}) have the same token: it tells nodes apart, and one tenure from the next, not holds. With
     * nothing kept each hold has a larger token than the one before.
     *
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    long fencingToken();

    /** The time left for the calling thread's hold without a renewal; zero when it does not hold the lock. */
    Duration remaining();

    /**
     * Extends the calling thread's hold and waits for the cell's answer.
     *
     * @param ttl how long to hold from now
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     * @throws LeaseLostException when the lease ended
     */
    void renew(Duration ttl);

    /** The same with the lease time that the hold was taken with. */
    void renew();

    /**
     * Has the code run once if the lease is lost while the calling thread holds the lock, soon after the fact, on the node's
     * callback executor; at once, there, when it is lost already. It is for the present hold, up to the outermost
     * {@link #unlock()}: once that has returned or thrown, the code is not begun any more, and whoever unlocks has learnt of
     * the loss from its {@link LeaseLostException}. Code that has begun is not waited for.
     *
     * <p>The thread that holds the lock is another than the one that runs the code: the code can cancel its work, but cannot
     * unlock for it. A slow callback holds up the others of its node.
     *
     * @param code may be added as often as there is something to do; each is run once
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    void onLost(Runnable code);
}
