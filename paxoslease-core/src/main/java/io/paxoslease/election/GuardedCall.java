package io.paxoslease.election;

import org.jspecify.annotations.Nullable;

/**
 * One call, on the thread that makes it, for which this node has to be the leader: from {@link LeaderElection#enter} to
 * {@link #close()}. When leadership ends in between, the thread is interrupted once, if that was asked for, and never
 * after {@code close()} has returned. A leadership that ends by choice is released after its guarded calls have ended.
 *
 * <p>To be used in one thread, by try-with-resources.
 */
public final class GuardedCall implements AutoCloseable {

    private static final ThreadLocal<@Nullable GuardedCall> current = new ThreadLocal<>();

    private final ElectedTerm term;
    final Thread thread;
    private final boolean interruptible;
    private final @Nullable GuardedCall outer;
    private boolean closed;
    private boolean interrupted;
    private boolean outlived;
    /** Whether the thread's interrupt flag was set by this call alone. */
    private boolean flagIsOurs;

    private GuardedCall(ElectedTerm term, boolean interruptible) {
        this.term = term;
        this.thread = Thread.currentThread();
        this.outer = current.get();
        this.interruptible = interruptible && !isInterruptedAnyway(outer, term);
    }

    /** A thread is interrupted once for each leadership, however deep its guarded calls are nested. */
    private static boolean isInterruptedAnyway(@Nullable GuardedCall around, ElectedTerm term) {
        for (GuardedCall call = around; call != null; call = call.outer) {
            if (call.term == term && call.interruptible) {
                return true;
            }
        }
        return false;
    }

    /** Makes it the thread's current call. Null when leadership has ended. */
    static @Nullable GuardedCall enter(ElectedTerm term, boolean interruptible) {
        GuardedCall call = new GuardedCall(term, interruptible);
        boolean entered = false;
        current.set(call);
        try {
            entered = term.add(call);
        } finally {
            if (!entered) {
                call.makeOuterCurrent();
            }
        }
        return entered ? call : null;
    }

    /** The call that the current thread is in; null when it is in none. */
    static @Nullable GuardedCall current() {
        return current.get();
    }

    /** The leadership under which the call was let in. */
    public Leadership leadership() {
        return term;
    }

    /** Whether this call's thread was interrupted because leadership ended. */
    public synchronized boolean wasInterrupted() {
        return interrupted;
    }

    /**
     * Whether the lease had ended when the call did: another node may have led meanwhile. A leadership that is given up keeps
     * its lease for its calls, within limits.
     */
    public synchronized boolean hasOutlivedItsLease() {
        return closed ? outlived : !term.isLeaseHeld();
    }

    /** Called by the thread that ended the leadership. */
    synchronized void interrupt() {
        if (interruptible && !closed && !interrupted) {
            interrupted = true;
            flagIsOurs = !thread.isInterrupted();
            thread.interrupt();
        }
    }

    /** On its thread. If an outer call was interrupted too, the flag also belongs to that call, and stays set. */
    private static void clearFlag(@Nullable GuardedCall around) {
        if (around == null) {
            Thread.interrupted();
            return;
        }
        synchronized (around) {
            if (around.interrupted) {
                around.flagIsOurs = true;
            } else {
                clearFlag(around.outer);
            }
        }
    }

    /**
     * Ends the call. If its thread's interrupt flag is set because leadership ended, it is cleared, so that it does not affect what the
     * thread does next. Does nothing the second time.
     *
     * @throws IllegalStateException when another thread calls this
     */
    @Override
    public void close() {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException("A guarded call ends on the thread that began it, which is " + thread);
        }
        try {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                outlived = !term.isLeaseHeld();
                if (flagIsOurs) {
                    clearFlag(outer);
                }
            }
            makeOuterCurrent();
        } finally {
            term.remove(this); // in any case: the end of the leadership waits for it
        }
    }

    private void makeOuterCurrent() {
        if (outer == null) {
            current.remove();
        } else {
            current.set(outer);
        }
    }
}
