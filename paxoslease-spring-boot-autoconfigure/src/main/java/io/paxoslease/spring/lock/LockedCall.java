package io.paxoslease.spring.lock;

import io.paxoslease.LeaseLostException;
import java.time.Duration;

/** What a {@link Locked} method may ask of the lock that it runs under. To be used on the thread that runs the method. */
public interface LockedCall {

    /**
     * The innermost {@link Locked} call that the current thread is in. Its lease may have ended since.
     *
     * @throws IllegalStateException when the current thread is in no such call
     */
    static LockedCall current() {
        LockedScope hold = LockedScope.current();
        if (hold == null) {
            throw new IllegalStateException(
                    "This thread is in no @Locked call: ask inside of a @Locked method, on the thread"
                            + " that runs it, and call the method through its bean");
        }
        return hold;
    }

    /** The key of the lock. */
    String key();

    /** The fencing token of the lease, to be sent with each write: see {@link PaxosLeaseLock#fencingToken()}. */
    long fencingToken();

    /** Whether the lease has not ended: the deadline is compared with the clock at each call. */
    boolean isHeld();

    /** The time left without a further renewal; zero when the lease has ended. */
    Duration remaining();

    /**
     * Returns while the lease is held.
     *
     * @throws LeaseLostException when it has ended
     */
    void check();

    /**
     * Registers code that runs once if the lease is lost while the method runs, or later in the transaction in which it was called: soon after
     * the loss, on the node's callback executor. It can cancel what the method waits for.
     */
    void onLost(Runnable code);
}
