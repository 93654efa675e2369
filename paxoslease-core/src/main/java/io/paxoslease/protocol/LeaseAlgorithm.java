package io.paxoslease.protocol;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in an algorithm that grants leases: a deterministic machine. Time, messages and requests come in as
 * events, everything that is to be done goes out as effects. Not thread-safe: one thread feeds it events, each with one
 * reading of the clocks, and carries out the effects.
 */
public interface LeaseAlgorithm {

    /**
     * Handles one event.
     *
     * @param now read after the event came in
     * @return what to do, in order; owned by the caller
     * @throws IllegalStateException when an invariant is broken: the node must take no further part
     */
    List<Effect> step(Event event, Reading now);

    /** Before the first event: an earlier life of this node has used tokens up to this one, which no other node remembers (P0). */
    default void continueAbove(long token) {}

    /** Every fencing token and every ballot counter that it has drawn is at most this; zero where nothing rests on that. */
    default long highestToken() {
        return 0;
    }

    /** The highest generation of the cell's members that it knows to be sealed (section 9); zero where lists of members do not change. */
    default int sealedGeneration() {
        return 0;
    }

    /**
     * The highest generation that it knows to be sealed, and whose members are known to know that as well, by majority: only then those that have
     * left are not needed any more.
     */
    default int decidingGeneration() {
        return sealedGeneration();
    }

    /** The generation that decides, then the one that follows, as far as it has heard; empty where lists of members do not change. */
    default List<Generation> followed() {
        return List.of();
    }

    /** The generation that follows, once a member of the list before runs it or a store has it; null: none does. */
    default @Nullable Generation confirmedNext() {
        return null;
    }

    /** The generation of the cell's members that it is of; null where lists of members do not change. */
    default @Nullable Generation generation() {
        return null;
    }

    /** The acceptors that its own requests go to at present, the same object for as long as they do; null where lists of members do not change. */
    default @Nullable Quorum quorum() {
        return null;
    }

    /** Whether it answers the others now: it is not silent after a start, nor beside another configuration. */
    default boolean serves(Reading now) {
        return true;
    }

    /** When to step at the latest with {@link Event.Woken}; null: nothing is waited for. */
    @Nullable
    Moment nextDeadline();

    /** What it knows of itself; for people and monitoring. */
    NodeView view(Reading now);

    /**
     * Adds the resources that it has records of without a request of its own, looking at {@code count} records from that place on,
     * so that many of them can be listed in steps. What is forgotten between two steps may be missed or come twice.
     *
     * @param place zero, then what the last step answered
     * @return where to go on; negative at the end
     */
    int addRecords(int place, int count, Reading now, Collection<String> resources);

    /** What it knows of one resource; null when nothing. */
    @Nullable
    LeaseView view(String resource, Reading now);
}
