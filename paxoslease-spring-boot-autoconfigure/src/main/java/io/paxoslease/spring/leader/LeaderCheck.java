package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.GuardedWork;
import java.util.Optional;

/** The check at the entry of {@link OnLeader} methods. Thread-safe; never blocks. */
interface LeaderCheck {

    LeaderRole join(String role);

    /** Empty if this node does not lead the role at this instant. */
    Optional<GuardedCall> enter(String role, boolean interrupt);

    /**
     * Begins work that goes on after its call. Empty if this node does not lead the role at this instant.
     *
     * @param onEnd called at most once, when leadership ends during the work
     */
    Optional<GuardedWork> begin(String role, Runnable onEnd);

    /** A call was skipped or failed, because this node did not lead. */
    void skipped(String role);

    /**
     * A call has ended.
     *
     * @param overrun whether it returned normally after leadership had ended
     */
    void left(String role, boolean interrupted, boolean overrun);
}
