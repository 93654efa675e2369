package io.paxoslease;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One thread's hold of a lock, from its outermost lock to its outermost unlock, over one lease. What a loss sets off begins
 * before the hold ends or not at all; the callback executor begins it, since an interrupt may close a channel and wait for it.
 */
final class Hold {

    private final HeldLease lease;
    private final @Nullable Duration ttl;
    private final Thread owner = Thread.currentThread();
    private boolean over;
    private boolean interrupted;

    /** @param ttl the lease time that was asked for; null: renewed automatically */
    Hold(HeldLease lease, @Nullable Duration ttl) {
        this.lease = lease;
        this.ttl = ttl;
    }

    HeldLease lease() {
        return lease;
    }

    @Nullable
    Duration ttl() {
        return ttl;
    }

    void onLost(Runnable code) {
        lease.onLost((lost, reason) -> {
            if (!isOver()) {
                code.run();
            }
        });
    }

    void interruptOwnerOnLoss() {
        lease.onLost((lost, reason) -> interruptOwner());
    }

    /** A flag that is set already is somebody else's, and does as well. */
    private synchronized void interruptOwner() {
        if (!over && !owner.isInterrupted()) {
            interrupted = true;
            owner.interrupt();
        }
    }

    private synchronized boolean isOver() {
        return over;
    }

    /**
     * Gives the lease up, and takes our interrupt back if the owner has not noticed it. By the owner, once.
     *
     * @return whether the lease was still held
     */
    boolean end() {
        boolean held = lease.isHeld();
        lease.release();
        synchronized (this) {
            over = true;
            if (interrupted) {
                Thread.interrupted();
            }
        }
        return held;
    }
}
