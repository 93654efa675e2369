package io.paxoslease.samples.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest events, numbered, so that a page that was away can catch up. Thread-safe. */
final class Journal {

    private static final int LONGEST = 200;

    /** What an event is about. */
    enum Kind {
        /** A process, or what was done to it. */
        PROCESS,
        /** The network. */
        NETWORK,
        /** Who votes. */
        MEMBERS,
        /** An instance leads. */
        GRANTED,
        /** An instance no longer leads. */
        REVOKED,
        /** Something that must not happen. */
        ALARM
    }

    /**
     * An event.
     *
     * @param id grows by one from event to event
     * @param at milliseconds since 1970
     * @param node the instance; empty when it concerns all of them
     */
    record Event(long id, long at, Kind kind, String node, String text) {}

    private final Deque<Event> events = new ArrayDeque<>();
    private long last;

    synchronized void add(long at, Kind kind, String node, String text) {
        events.addLast(new Event(++last, at, kind, node, text));
        if (events.size() > LONGEST) {
            events.removeFirst();
        }
    }

    /** The events with greater numbers, oldest first. */
    synchronized List<Event> after(long id) {
        return events.stream().filter(event -> event.id() > id).toList();
    }
}
