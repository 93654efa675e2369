package io.paxoslease.locks;

import io.paxoslease.LeaseListener;
import io.paxoslease.LossReason;
import io.paxoslease.node.HeldLease;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What the loss of a lease sets off during one thread's hold of a lock, from its outermost lock to its outermost unlock: callbacks and
 * an interrupt. None of them begins after the end of the hold. They run on the callback executor, because an interrupt may close a
 * channel and wait for it.
 */
final class LockHold {

    private final HeldLease lease;
    private final Thread owner = Thread.currentThread();
    /** Removed from the lease when the hold ends: the lease may last for many holds. Used by the owner only. */
    private final List<Consumer<LossReason>> observers = new ArrayList<>(1);

    private boolean over;
    private boolean interrupted;

    LockHold(HeldLease lease) {
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

    /** An owner that is interrupted already stays so, and keeps that interrupt. */
    private synchronized void interruptOwner() {
        if (!over && !owner.isInterrupted()) {
            interrupted = true;
            owner.interrupt();
        }
    }

    private synchronized boolean isOver() {
        return over;
    }

    /** Clears our interrupt if the owner has not noticed it. Called once, by the owner, before it checks whether the lease was lost. */
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
