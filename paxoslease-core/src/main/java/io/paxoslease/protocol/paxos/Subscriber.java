package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Timed;
import java.util.HashMap;
import java.util.Map;

/** A node that watches, and what an acceptor has told it (section 10, V1). */
final class Subscriber {

    /** What one subscriber is sent in a second; the rest waits. */
    private static final long BYTES_A_SECOND = 1 << 20;

    private static final long SECOND = 1_000_000_000;

    /** One prefix of one node. */
    static final class Subscription extends Timed {
        final Subscriber subscriber;
        final String prefix;
        /** The version that the subscriber has confirmed. */
        long confirmed;
        /** The version that it has once it has read what is under way. */
        long sent;
        /** All is told again, and the next message says so. */
        boolean reset;
        /** That has not begun yet. */
        boolean startsOver;
        /** When the last snapshot began: ends up to that version are not told. Zero: all ends are told. */
        long endsSince;

        /** From {@link #sent} up to that version nothing has changed that is asked for. */
        long unchangedUntil;

        boolean isUnderWay;
        /** It waits for a message that says that there is no more, also if nothing has changed. */
        boolean asks;

        boolean isDue;
        boolean isOver;

        Subscription(Subscriber subscriber, String prefix) {
            this.subscriber = subscriber;
            this.prefix = prefix;
        }

        /**
         * Whether a subscriber that knows that version can be told the rest. The pages of a snapshot end at old versions, so the subscriber may
         * know a version below ends that are forgotten. It has not heard of those records, if the version is one of the running snapshot.
         */
        boolean canContinueFrom(long version, RecordLog log) {
            boolean isOfSnapshot = version == sent || version == confirmed;
            if (isOfSnapshot && log.knowsAllSince(Math.max(version, endsSince))) {
                return true;
            }
            boolean knows = log.knowsAllSince(version);
            endsSince = knows ? 0 : endsSince; // it may know records that have ended since
            return knows;
        }

        /** All is told from the beginning. */
        void beginSnapshot(RecordLog log) {
            startsOver = false;
            reset = true;
            sent = 0;
            confirmed = 0;
            unchangedUntil = 0;
            endsSince = log.version();
            asks = true;
        }
    }

    final NodeId node;
    final Map<String, Subscription> subscriptions = new HashMap<>();
    /** What it may be sent yet. */
    private long bytes = BYTES_A_SECOND;

    private Moment filledAt;

    Subscriber(NodeId node, Moment now) {
        this.node = node;
        this.filledAt = now;
    }

    /** Whether it may be sent something now. */
    boolean mayBeTold(Moment now) {
        long nanos = Math.min(SECOND, filledAt.nanosUntil(now));
        bytes = Math.min(BYTES_A_SECOND, bytes + nanos * BYTES_A_SECOND / SECOND);
        filledAt = now;
        return bytes > 0;
    }

    void took(long sent) {
        bytes -= sent;
    }
}
