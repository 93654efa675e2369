package io.paxoslease.locks;

import io.paxoslease.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * A reentrant lock that at most one thread of the whole cell holds. Ownership is a thread together with a lease: when
 * the lease ends while a thread holds the lock, that hold is <em>lost</em>, and the thread's next use of the lock
 * throws {@link LeaseLostException}; afterwards the thread may lock afresh. From that end on any other thread may lock, also one of the same
 * node, whether the thread has unlocked or not. When a thread ends without unlocking, its lease is released within about a second, or when another
 * thread of the node asks for the lock, and that is logged; code of {@link #onLost} does not run for it.
 *
 * <p>{@link #lock()} waits without being interrupted and keeps the interrupt flag. {@link #unlock()} never waits for
 * the network. {@link #newCondition()} is not supported.
 *
 * <p>After the outermost unlock the node retains the lease for a while, unless another node requests it: a lock within that time
 * needs no network. Leases with a fixed time are not retained.
 *
 * <p>With {@link LockOptions#interruptOnLoss()} a loss interrupts the thread that holds the lock, once for each hold, from
 * the node's callback executor; a thread whose interrupt flag is set already is left as it is. It is never interrupted for
 * a hold whose outermost {@code unlock()} has returned or thrown. That {@code unlock()} clears the flag when this library
 * has set it, so that it does not leave the guarded region; it leaves a flag that was set before. An interrupt from
 * elsewhere that comes after ours cannot be distinguished from it and is cleared with it: {@code unlock()} then throws
 * {@link LeaseLostException}.
 */
public interface LeaseLock extends Lock {

    /** The key that was passed to {@link LeaseLocks#get(String)}. */
    String key();

    /**
     * Locks with a fixed lease time that is not renewed. In a thread that holds the lock it asks the cell to extend the hold
     * to the given time from now, if that is later. A hold that is renewed automatically stays so.
     *
     * @param leaseTime at most the cell's maximum lease time; a few milliseconds may pass before this call returns
     * @throws IllegalArgumentException when the time is not positive, or above the maximum
     * @throws LeaseLostException when the lease was granted and had ended before this thread could return: the time is too
     *     short for it. The thread does not hold the lock
     */
    void lock(Duration leaseTime);

    /**
     * Locks with a fixed lease time that is not renewed, waiting at most the given time. In a thread that holds the lock it
     * asks the cell to extend the hold to the given time from now, if that is later, and locks once more: false when the
     * cell has not answered in time. When it asks once, it waits for the answer, which an outage delays at most until the
     * lease ends.
     *
     * @param wait how long to wait; zero or less asks once
     * @param leaseTime at most the cell's maximum lease time
     * @return whether the lock is held
     * @throws LeaseLostException as {@link #lock(Duration)} does
     */
    boolean tryLock(Duration wait, Duration leaseTime) throws InterruptedException;

    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /** Whether the calling thread holds the lock and its lease has not ended. */
    boolean isHeldByCurrentThread();

    /**
     * The fencing token of the lease under the calling thread's hold. Consecutive holds of one node during which it retains the
     * lease ({@link LockOptions#idleRetention}) have the same token: it distinguishes nodes and tenures, not holds. Without retention
     * each hold has a larger token than the one before.
     *
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    long fencingToken();

    /** The time left for the calling thread's hold without a renewal; zero when it does not hold the lock. */
    Duration remaining();

    /**
     * Extends the calling thread's hold and waits for the cell's answer.
     *
     * @param leaseTime how long to hold from now
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     * @throws LeaseLostException when the lease ended
     */
    void renew(Duration leaseTime);

    /** Extends the hold by the lease time that it was taken with. */
    void renew();

    /**
     * Runs the code once if the lease is lost while the calling thread holds the lock, soon after the loss, on the node's
     * callback executor; at once, on that executor, when it is lost already. It belongs to the present hold, up to the outermost
     * {@link #unlock()}: once that has returned or thrown, the code is not started any more, and the thread that unlocked has learnt of
     * the loss from the {@link LeaseLostException}. Code that has started is not waited for.
     *
     * <p>The code runs on another thread than the one that holds the lock: it can cancel that thread's work, but cannot
     * unlock for it. A slow callback delays the other callbacks of its node.
     *
     * @param code several may be added; each is run once
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     */
    void onLost(Runnable code);
}
