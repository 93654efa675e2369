package io.paxoslease.election;

import io.paxoslease.node.TenureCall;
import org.jspecify.annotations.Nullable;

/**
 * One call, on the thread that makes it, for which this node has to be the leader: from {@link LeaderElection#enter} to
 * {@link #close()}. When leadership ends in between, the thread is interrupted once, if that was asked for, and never
 * after {@code close()} has returned. A leadership that ends by choice is released after its guarded calls have ended.
 *
 * <p>To be used in one thread, by try-with-resources.
 */
public final class GuardedCall implements AutoCloseable {

    private final ElectedTerm term;
    private final TenureCall call;

    private GuardedCall(ElectedTerm term, TenureCall call) {
        this.term = term;
        this.call = call;
    }

    /** Makes it the thread's current call. Null when leadership has ended. */
    static @Nullable GuardedCall enter(ElectedTerm term, boolean interruptible) {
        TenureCall entered = TenureCall.enter(term.guard(), term, interruptible);
        return entered == null ? null : new GuardedCall(term, entered);
    }

    /** The leadership under which the call was let in. */
    public Leadership leadership() {
        return term;
    }

    /** Whether this call's thread was interrupted because leadership ended. */
    public boolean wasInterrupted() {
        return call.wasInterrupted();
    }

    /**
     * Whether the lease had ended when the call did: another node may have led meanwhile. A leadership that is given up keeps
     * its lease for its calls, within limits.
     */
    public boolean hasOutlivedItsLease() {
        return call.hasOutlivedItsLease();
    }

    /**
     * Ends the call. If its thread's interrupt flag is set because leadership ended, it is cleared, so that it does not affect what the
     * thread does next. Does nothing the second time.
     *
     * @throws IllegalStateException when another thread calls this
     */
    @Override
    public void close() {
        call.close();
    }
}
