package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Message;
import java.util.List;

/**
 * What nodes that run Flease say to each other. Each answer echoes the question's resource, round and attempt; who it counts
 * for is whom the connection's handshake established.
 */
public sealed interface FleaseMessage extends Message {

    /** Concerns one attempt on one register. */
    sealed interface OfAttempt extends FleaseMessage {
        String resource();

        Round round();

        /** Names the attempt, so that an abandoned one's answers are dead for ever. */
        long attempt();
    }

    /** From a proposer to an acceptor. */
    sealed interface Request extends OfAttempt {

        @Override
        default String requested() {
            return resource();
        }
    }

    /** From an acceptor to a proposer. */
    sealed interface Reply extends OfAttempt {}

    /** What is written, and promise to take no lower round from now on. */
    record Read(String resource, Round round, long attempt, Interest interest) implements Request {

        /** A renewal has no interest to leave behind. */
        @Override
        public boolean acquires() {
            return interest != Interest.NONE;
        }
    }

    /** Have the register hold that value. */
    record Write(String resource, Round round, long attempt, Value value) implements Request {}

    /** To {@link Read}: promised. */
    record ReadAck(String resource, Round round, long attempt, Stored stored) implements Reply {}

    /** To {@link Write}: written. */
    record WriteAck(String resource, Round round, long attempt) implements Reply {}

    /**
     * To either: refused.
     *
     * @param highest the highest round that this acceptor has seen for the resource; {@link Round#NONE} when that is not why
     */
    record Nack(String resource, Round round, long attempt, Round highest) implements Reply {}

    /** Whether the reader wants what another may hold. */
    enum Interest {
        /** It holds it, or gives it up. */
        NONE,
        /** It does, now or never: the holder is to say whether the lease is in use. */
        ONCE,
        /** It does, and waits. */
        WAITS
    }

    /**
     * A hint to a node that wants it: the lease is free.
     *
     * @param ahead how many have wanted it longer
     */
    record Freed(String resource, int ahead) implements FleaseMessage {}

    /** A hint to a node that wants it now or never: the holder of the tenure with that token uses it. */
    record InUse(String resource, long token) implements FleaseMessage {}

    /** What is written in these registers? Disturbs no attempt. */
    record Query(long id, List<String> resources) implements FleaseMessage {

        /** The most resources that one message asks about. */
        public static final int MAX_RESOURCES = 100;

        public Query {
            resources = List.copyOf(resources);
        }
    }

    /** To {@link Query}, in the same order. */
    record Known(long id, List<Stored> stored) implements FleaseMessage {
        public Known {
            stored = List.copyOf(stored);
        }
    }

    /** What does the wall clock show? */
    record Compare(long id) implements FleaseMessage {}

    /** To {@link Compare}. */
    record Compared(long id, long wallMicros) implements FleaseMessage {}
}
