package io.paxoslease.election;

import io.paxoslease.node.TenureCall;
import java.time.Duration;

/** One node's leadership of a role, from its grant to its end. Thread-safe; every method is local. */
public interface Leadership {

    /**
     * The leadership that guards the current thread's call: in a method that runs on the leader only, or
     * between {@link LeaderElection#enter} and {@link GuardedCall#close}. It may have ended since.
     *
     * @throws IllegalStateException when the current thread is not in such a call
     */
    static Leadership current() {
        ElectedTerm term = TenureCall.current(ElectedTerm.class);
        if (term == null) {
            throw new IllegalStateException(
                    "This thread is in no call that is guarded by a leadership: ask inside of an"
                            + " @OnLeader method, on the thread that runs it, or hand the leadership over to other threads");
        }
        return term;
    }

    /** The role that is led. */
    String role();

    /**
     * Whether this node leads at this instant: the deadline is compared with the clock at each call. If the lease is in doubt, as after a step of
     * a clock, this is false for a moment, and may be true again (section 5, Holder): work that waits for its end waits for the interrupt.
     */
    boolean isLeader();

    /** The fencing token of this leadership: a later leader has a larger one. */
    long fencingToken();

    /** The time left without a further renewal, zero when leadership has ended. */
    Duration remaining();

    /**
     * Returns while this node leads.
     *
     * @throws NotLeaderException when leadership has ended
     */
    void check();

    /** Gives leadership up: revoked first, then released; another node may lead then. Returns at once. */
    void resign();
}
