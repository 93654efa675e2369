package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import org.jspecify.annotations.Nullable;

/** The first request's turn: it begins with its first attempt, and ends when the request has its lease or has gone. Advice. */
final class Turn {

    /** How often in a row a counter is raised to get into the queues. */
    private static final int RAISES = 3;

    /** The counter of the first attempt: how long this node has wanted the lease. */
    final long enqueuedCounter;

    private int raises;
    /** The attempt after which a request that asks once waits for the holder's word. */
    private long askedBy;

    private @Nullable Moment askUntil;

    Turn(long enqueuedCounter) {
        this.enqueuedCounter = enqueuedCounter;
    }

    boolean mayRaise() {
        return raises < RAISES;
    }

    void raised() {
        raises++;
    }

    void queued() {
        raises = 0;
    }

    /** Until when the holder's word is awaited: as from the first time that this is asked. */
    Moment askUntil(Moment limit) {
        askUntil = askUntil == null ? limit : askUntil;
        return askUntil;
    }

    void awaitsHolder(Attempt attempt) {
        askedBy = attempt.id;
    }

    /** Whether the holder's word on that attempt is awaited. */
    boolean isAwaiting(long attempt) {
        return askUntil != null && askedBy == attempt;
    }
}
