package io.paxoslease.election;

import io.paxoslease.node.TenureGuard;
import io.paxoslease.protocol.Printable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that continues after the call that began it, on whatever threads, and for which this node has to be the leader: from
 * {@link LeaderElection#begin} to {@link #close()}. When leadership ends in between, its owner is told once, and is to cancel what goes
 * on. A leadership that ends by choice is released after its guarded work has ended. Thread-safe.
 */
public final class GuardedWork implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GuardedWork.class);

    /** As the guard of the tenure sees it. */
    private static final class Ending implements TenureGuard.Part {

        private final GuardedWork work;

        private Ending(GuardedWork work) {
            this.work = work;
        }

        @Override
        public void end() {
            try {
                work.cancel();
            } catch (RuntimeException | Error failure) { // user code
                work.sayThatCancellingFailed(failure);
            }
        }

        @Override
        public @Nullable Thread thread() {
            return null;
        }
    }

    private final ElectedTerm term;
    private final Runnable onEnd;
    private final Ending ending = new Ending(this);
    private boolean closed;
    private boolean cancelled;
    private boolean outlived;

    GuardedWork(ElectedTerm term, Runnable onEnd) {
        this.term = term;
        this.onEnd = onEnd;
    }

    /** Null when leadership has ended. */
    static @Nullable GuardedWork begin(ElectedTerm term, Runnable onEnd) {
        GuardedWork work = new GuardedWork(term, onEnd);
        return term.guard().add(work.ending) ? work : null;
    }

    /** The leadership under which the work began. */
    public Leadership leadership() {
        return term;
    }

    /** Whether its owner was told that leadership has ended. */
    public synchronized boolean wasCancelled() {
        return cancelled;
    }

    /**
     * Whether the lease had ended when the work did: another node may have led meanwhile. A leadership that is given up keeps its lease
     * for its work, within limits.
     */
    public synchronized boolean hasOutlivedItsLease() {
        return closed ? outlived : !term.guard().isLeaseHeld();
    }

    /** Called by the thread that ended the leadership, or on the callback executor. */
    private void cancel() {
        synchronized (this) {
            if (closed || cancelled) {
                return;
            }
            cancelled = true;
        }
        onEnd.run();
    }

    private void sayThatCancellingFailed(Throwable failure) {
        try {
            log.warn("Work on the leader of role '{}' failed to be cancelled", Printable.name(term.role()), failure);
        } catch (RuntimeException | Error silent) {
            return; // the others are told
        }
    }

    /** Ends the work. Does nothing the second time. */
    @Override
    public void close() {
        try {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                outlived = !term.guard().isLeaseHeld();
            }
        } finally {
            term.guard().remove(ending); // in any case: the end of the leadership waits for it
        }
    }
}
