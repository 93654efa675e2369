package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import java.util.Optional;

/** What stands at the entry of {@link OnLeader} methods. Thread-safe; never blocks. */
interface LeaderGate {

    /** Empty when this node does not lead the role at this instant. */
    Optional<GuardedCall> enter(String role, boolean interrupt);

    /** A call was not let in. */
    void refused(String role);

    /**
     * A call has ended.
     *
     * @param interrupted whether the end of leadership interrupted it
     * @param overrun whether it returned normally although leadership had ended
     */
    void left(String role, boolean interrupted, boolean overrun);
}
