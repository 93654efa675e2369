package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The generations that follow the one that decides, as far as this node has heard of them (section 9, R5, R6). The first content of each number
 * that it hears of counts, but gives way to one that is better known. Not thread-safe.
 */
final class PendingGenerations {

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

    /** Each is a node with a wrong file, or one that lies. */
    private static final int MOST_OTHERS = 64;

    private @Nullable Generation next;
    private Source source = Source.TOLD;
    private boolean confirmed;
    /** Which of the members before it run it. */
    private final Set<NodeId> runners = new HashSet<>();
    /** Which nodes have told of another content of its number. */
    private final Set<NodeId> others = new LinkedHashSet<>();
    /** The one after that, if it was heard of before the seal of the next one. */
    private @Nullable Generation later;

    /** The change that is under way; null: none is. */
    @Nullable
    Generation next() {
        return next;
    }

    /** Whether one of the members before it has run it, or a store has it. */
    boolean isConfirmed() {
        return confirmed;
    }

    /** Whether the node has told of another content of the number of the next one. */
    boolean hasOther(NodeId node) {
        return others.contains(node);
    }

    /** These nodes, and those that have told of another content: one of them may hear of its seal (R7). */
    List<NodeId> withOthers(List<NodeId> nodes) {
        return Stream.concat(nodes.stream(), others.stream()).distinct().toList();
    }

    /**
     * @param current the generation that decides
     * @param by who runs that generation, or tells of it; null: the store
     */
    void heard(Generation current, Generation generation, Source from, @Nullable NodeId by) {
        if (by != null && from != Source.TOLD && !generation.equals(next)) {
            isGone(by);
        }
        boolean isBetterKnown = from.compareTo(source) > 0;
        if (generation.equals(next)) {
            source = isBetterKnown ? from : source;
        } else if (current.isFollowedBy(generation) && (next == null || isBetterKnown)) {
            next = generation;
            source = from;
            confirmed = false;
            runners.clear();
            later = null; // it may have followed the other content
        } else if (current.isFollowedBy(generation)) {
            note(by);
        } else if (next != null && later == null && next.isFollowedBy(generation)) {
            later = generation;
        }
        if (generation.equals(next)) {
            confirmed |= from != Source.TOLD;
            if (by != null && from != Source.TOLD) {
                runners.add(by);
            }
        }
    }

    private void note(@Nullable NodeId by) {
        if (by != null && others.size() < MOST_OTHERS) {
            others.add(by);
        }
    }

    /** That node does not run the next one any more, as far as is known: if none does, it is as if that had only been told of. */
    void isGone(NodeId runner) {
        others.remove(runner);
        if (runners.remove(runner) && runners.isEmpty() && source == Source.RUN) {
            source = Source.TOLD;
        }
    }

    /** The next one decides from now on. */
    void advance() {
        next = later;
        source = Source.TOLD;
        confirmed = false;
        runners.clear();
        others.clear();
        later = null;
    }
}
