package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import org.jspecify.annotations.Nullable;

/**
 * The generations that follow the one that decides, as far as this node has heard of them (section 9, R5, R6). The first content of each number
 * that it hears of counts, but gives way to one that is better known: what a member of the list before runs, and before all what a store has.
 * Not thread-safe.
 */
final class Following {

    /** How a generation is known, the least certain way first. */
    enum Source {
        /** A node has told of it, or runs it, that is none of the members before it. */
        TOLD,
        /** One of the members before it runs it. */
        RUN,
        STORED
    }

    private @Nullable Generation next;
    private Source source = Source.TOLD;
    /** The one after that, if it was heard of before the seal of the next one. */
    private @Nullable Generation later;

    /** The change that is under way; null: none is. */
    @Nullable
    Generation next() {
        return next;
    }

    /** Whether one of the members before it runs it, or a store has it. */
    boolean isConfirmed() {
        return source != Source.TOLD;
    }

    /** @param current the generation that decides */
    void heard(Generation current, Generation generation, Source from) {
        boolean isBetterKnown = from.compareTo(source) > 0;
        if (generation.equals(next)) {
            source = isBetterKnown ? from : source;
        } else if ((next == null || isBetterKnown) && current.isFollowedBy(generation)) {
            next = generation;
            source = from;
            later = null; // it may have followed the other content
        } else if (next != null && later == null && next.isFollowedBy(generation)) {
            later = generation;
        }
    }

    /** The next one decides from now on. */
    void advance() {
        next = later;
        source = Source.TOLD;
        later = null;
    }
}
