package io.paxoslease.locks;

import io.paxoslease.LeaseListener;
import io.paxoslease.LossReason;
import io.paxoslease.node.HeldLease;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a loss sets off during one thread's hold of a lock, from its outermost lock to its outermost unlock. It begins before
 * the hold ends or not at all; the callback executor begins it, since an interrupt may close a channel and wait for it.
 */
final class Hold {

    private final HeldLease lease;
    private final Thread owner = Thread.currentThread();
    /** What the lease is rid of when the hold ends: the lease may last for many holds. By the owner. */
    private final List<Consumer<LossReason>> observers = new ArrayList<>(1);

    private boolean over;
    private boolean interrupted;

    Hold(HeldLease lease) {
        this.lease = lease;
    }

    void onLost(Runnable code) {
        observe((lost, reason) -> {
            if (!isOver()) {
                code.run();
            }
        });
    }

    void interruptOwnerOnLoss() {
        observe((lost, reason) -> interruptOwner());
    }

    private void observe(LeaseListener listener) {
        observers.add(lease.listen(listener));
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

    /** Takes our interrupt back if the owner has not noticed it. By the owner, once, and before it looks whether it lost the lease. */
    void end() {
        observers.forEach(lease::forget);
        synchronized (this) {
            over = true;
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }
}
