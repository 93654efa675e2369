package io.paxoslease.exploration;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;

/** A message under way. Two are equal when they say the same to the same. */
final class Flight {

    private static final ClassValue<String> KINDS = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            return type.getSimpleName();
        }
    };

    private final int from;
    private final int to;
    private final Message message;
    private final String kind;
    private final int sequence;
    /** What the sender ran: the other end of its connection runs the same. */
    private final int configuration;

    /** @param sequence how many were sent before it */
    Flight(Peer from, int to, Message message, int sequence) {
        this(from.number, from.configuration(), to, message, sequence);
    }

    private Flight(int from, int configuration, int to, Message message, int sequence) {
        this.configuration = configuration;
        this.from = from;
        this.to = to;
        this.message = message;
        this.kind = KINDS.get((message instanceof PaxosMessage.InMode inMode ? inMode.request() : message).getClass());
        this.sequence = sequence;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    Message message() {
        return message;
    }

    String kind() {
        return kind;
    }

    int sequence() {
        return sequence;
    }

    int configuration() {
        return configuration;
    }

    boolean isLike(Flight other) {
        return from == other.from && to == other.to && kind.equals(other.kind);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Flight flight
                && from == flight.from
                && to == flight.to
                && configuration == flight.configuration
                && message.equals(flight.message);
    }

    @Override
    public int hashCode() {
        return (message.hashCode() * 31 + from) * 31 + to;
    }

    @Override
    public String toString() {
        return ExploredWorld.id(from) + "->" + ExploredWorld.id(to) + " " + message;
    }
}
