package io.paxoslease.simulation;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What a simulation has to have met before its silence means anything. */
enum Situation {
    GRANT,
    HAND_OVER,
    RENEWAL,
    RENEWAL_BY_CALL,
    WITHDRAWAL,
    NOMINATED,
    RELEASE_DURING_RENEWAL,
    LOSS_BY_EXPIRY,
    LOSS_BY_SUSPENSION,
    LOSS_BY_STOP,
    SUSPICION,
    CONFIRMATION,
    EXPIRY_DURING_PAUSE,
    MESSAGES_AFTER_RESTART,
    MESSAGES_OF_A_DEAD_PROCESS,
    REQUEST_DURING_QUARANTINE,
    QUARANTINE_WHILE_RUNNING,
    DUEL,
    REFUSED_TOO_FAR_AHEAD,
    NO_ROOM_IN_THE_QUEUE,
    LATE_ANSWER,
    HELD_BY_ANOTHER,
    EXTRA_PROPOSER_HOLDS,
    CLOCK_WRAPPED,
    ENCODED,
    STALL_AFTER_READING,
    STALL_BEFORE_SENDING,
    STALL_IN_CALL,
    MESSAGE_CUT,
    MESSAGE_CLOGGED,
    MESSAGE_LOST,
    MESSAGE_DOUBLED,
    MESSAGE_DELAYED,
    CONNECTION_DROPPED,
    CRASH,
    REBOOT,
    BOOTED_BESIDE_THE_LAST,
    CLEAN_STOP,
    PAUSE,
    SUSPEND,
    WALL_STEP,
    RATE_CHANGE,
    WRONG_HINT,
    OTHER_CONFIGURATION,
    MESSAGE_OF_ANOTHER_CONFIGURATION,
    TWO_CONTENTS,
    JOINT_GRANT,
    GRANT_AFTER_THE_SEAL,
    SEALED,
    SECOND_CHANGE_SEALED,
    MOVED_WHILE_RUNNING,
    HELD_OVER_THE_SEAL,
    CHANGE_UNDONE,
    OLD_FILE_REFUSED,
    MEMBER_LOST_IN_A_CHANGE,
    BEYOND_THE_LIMIT,
    LOSS_BY_CLOCK,
    OUT_OF_BOUND,
    BACK_IN_BOUND,
    WRITTEN_BACK,
    CERTAIN_ANSWER;

    private static final Set<Situation> PAXOSLEASE_ONLY = EnumSet.of(
            NOMINATED,
            SUSPICION,
            CONFIRMATION,
            REFUSED_TOO_FAR_AHEAD,
            NO_ROOM_IN_THE_QUEUE,
            HELD_BY_ANOTHER,
            LOSS_BY_SUSPENSION,
            EXTRA_PROPOSER_HOLDS);

    /** What happens while members change. */
    private static final Set<Situation> OF_CHANGES = EnumSet.range(OTHER_CONFIGURATION, BEYOND_THE_LIMIT);

    private static final Set<Situation> FLEASE_ONLY =
            EnumSet.of(LOSS_BY_CLOCK, OUT_OF_BOUND, BACK_IN_BOUND, WRITTEN_BACK, CERTAIN_ANSWER);

    /** What happens in cells that run PaxosLease. */
    static Set<Situation> ofPaxosLease() {
        Set<Situation> all = EnumSet.complementOf(EnumSet.copyOf(FLEASE_ONLY));
        all.remove(BEYOND_THE_LIMIT); // rare: SimulatedCells counts it
        return Collections.unmodifiableSet(all);
    }

    /** What happens in cells that run Flease. */
    static Set<Situation> ofFlease() {
        Set<Situation> all = EnumSet.complementOf(EnumSet.copyOf(PAXOSLEASE_ONLY));
        all.removeAll(OF_CHANGES);
        return Collections.unmodifiableSet(all);
    }
}
