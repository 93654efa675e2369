package io.paxoslease.node;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One call, on the thread that makes it, for which a tenure has to be held. When the tenure ends in between, the thread is interrupted once, if
 * that was asked for, and never after {@link #close} has returned.
 */
public final class TenureCall implements TenureGuard.Part {

    private static final ThreadLocal<@Nullable TenureCall> current = new ThreadLocal<>();

    private final TenureGuard guard;
    private final Object subject;
    private final Thread thread;
    private final boolean interruptible;
    private final @Nullable TenureCall outer;
    private boolean closed;
    private boolean interrupted;
    private boolean outlived;
    /** Whether the thread's interrupt flag was set by this call alone. */
    private boolean flagIsOurs;

    private TenureCall(TenureGuard guard, Object subject, boolean interruptible) {
        this.guard = guard;
        this.subject = subject;
        this.thread = Thread.currentThread();
        this.outer = current.get();
        this.interruptible = interruptible && !isInterruptedAnyway(outer, guard);
    }

    /** A thread is interrupted once for each tenure, however deep its guarded calls are nested. */
    private static boolean isInterruptedAnyway(@Nullable TenureCall around, TenureGuard guard) {
        for (TenureCall call = around; call != null; call = call.outer) {
            if (call.guard == guard && call.interruptible) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes it the thread's current call.
     *
     * @param subject what {@link #current} finds
     * @return null when the tenure has ended
     */
    public static @Nullable TenureCall enter(TenureGuard guard, Object subject, boolean interruptible) {
        TenureCall call = new TenureCall(guard, subject, interruptible);
        boolean entered = false;
        current.set(call);
        try {
            entered = guard.add(call);
        } finally {
            if (!entered) {
                call.makeOuterCurrent();
            }
        }
        return entered ? call : null;
    }

    /** The innermost subject of that kind of the calls that the current thread is in; null when there is none. */
    public static <T> @Nullable T current(Class<T> kind) {
        return find(kind, any -> true);
    }

    /** The innermost such subject of the calls that the current thread is in; null when there is none. */
    public static <T> @Nullable T find(Class<T> kind, Predicate<? super T> such) {
        for (TenureCall call = current.get(); call != null; call = call.outer) {
            if (kind.isInstance(call.subject) && such.test(kind.cast(call.subject))) {
                return kind.cast(call.subject);
            }
        }
        return null;
    }

    /** Whether this call's thread was interrupted because the tenure ended. */
    public synchronized boolean wasInterrupted() {
        return interrupted;
    }

    /** Whether the lease had ended when the call did. A tenure that is given up keeps its lease for its calls, within limits. */
    public synchronized boolean hasOutlivedItsLease() {
        return closed ? outlived : !guard.isLeaseHeld();
    }

    @Override
    public Thread thread() {
        return thread;
    }

    /** Called by the thread that ended the tenure. */
    @Override
    public synchronized void end() {
        if (interruptible && !closed && !interrupted) {
            interrupted = true;
            flagIsOurs = !thread.isInterrupted();
            thread.interrupt();
        }
    }

    /** On its thread. If an outer call was interrupted too, the flag also belongs to that call, and stays set. */
    private static void clearFlag(@Nullable TenureCall around) {
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
     * Ends the call. If its thread's interrupt flag is set because the tenure ended, it is cleared, which keeps it from what the
     * thread does next. Does nothing the second time.
     *
     * @throws IllegalStateException when another thread calls this
     */
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
                outlived = !guard.isLeaseHeld();
                if (flagIsOurs) {
                    clearFlag(outer);
                }
            }
            makeOuterCurrent();
        } finally {
            guard.remove(this); // in any case: the end of the tenure waits for it
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
