package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The generations that follow the one that decides, as far as this node has heard of them (section 9, R5, R6). The first content of each number
 * that it hears of counts, but gives way to one that is better known. Not thread-safe.
 */
final class Following {

    /** How a generation is known, the least certain way first. */
    enum Source {
        /** A node has told of it, or runs it, that is none of the members before it. */
        TOLD,
        /** One of the members before it runs it. */
        RUN,
        STORED,
        /** One of the members before it knows that it is sealed: no other content can be. */
        SEALED
    }

    private @Nullable Generation next;
    private Source source = Source.TOLD;
    /** Which of the members before it run it. */
    private final Set<NodeId> runners = new HashSet<>();
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

    /**
     * @param current the generation that decides
     * @param runner which of the members before runs that generation, if one does; if none runs the next one any more, it is as if that had only
     *     been told of
     */
    void heard(Generation current, Generation generation, Source from, @Nullable NodeId runner) {
        boolean isNext = generation.equals(next);
        if (!isNext && runner != null) {
            isGone(runner);
        }
        boolean isBetterKnown = from.compareTo(source) > 0;
        if (isNext) {
            source = isBetterKnown ? from : source;
        } else if ((next == null || isBetterKnown) && current.isFollowedBy(generation)) {
            next = generation;
            source = from;
            runners.clear();
            later = null; // it may have followed the other content
        } else if (next != null && later == null && next.isFollowedBy(generation)) {
            later = generation;
        }
        if (runner != null && generation.equals(next)) {
            runners.add(runner);
        }
    }

    /** That node does not run the next one any more, as far as is known. */
    void isGone(NodeId runner) {
        if (runners.remove(runner) && runners.isEmpty() && source == Source.RUN) {
            source = Source.TOLD;
        }
    }

    /** The next one decides from now on. */
    void advance() {
        next = later;
        source = Source.TOLD;
        runners.clear();
        later = null;
    }
}
