package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import org.jspecify.annotations.Nullable;

/**
 * The generations that follow the one that decides, as far as this node has heard of them (section 9, R5, R6). The first content of each number
 * that it hears of counts; one that nobody is known to run gives way to one that a member runs. Not thread-safe.
 */
final class Following {

    private @Nullable Generation next;
    /** Whether one of the members before it runs it, or a store has it. */
    private boolean isConfirmed;
    /** The one after that, if it was heard of before the seal of the next one. */
    private @Nullable Generation later;

    /** The change that is under way; null: none is. */
    @Nullable
    Generation next() {
        return next;
    }

    boolean isConfirmed() {
        return isConfirmed;
    }

    /**
     * @param current the generation that decides
     * @param confirms whether one of its members runs that generation, or a store has it
     * @param isUsed whether the next one has a say already
     */
    void heard(Generation current, Generation generation, boolean confirms, boolean isUsed) {
        boolean replaces = next == null || (confirms && !isConfirmed && !isUsed);
        if (replaces && current.isFollowedBy(generation)) {
            isConfirmed = confirms;
            next = generation;
        } else if (generation.equals(next)) {
            isConfirmed |= confirms;
        } else if (next != null && later == null && next.isFollowedBy(generation)) {
            later = generation;
        }
    }

    /** The next one decides from now on. */
    void advance() {
        next = later;
        isConfirmed = false;
        later = null;
    }
}
