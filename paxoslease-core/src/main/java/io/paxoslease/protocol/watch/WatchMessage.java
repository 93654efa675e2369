package io.paxoslease.protocol.watch;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What nodes say to each other about watches (section 10). None of it carries authority. */
public sealed interface WatchMessage extends Message {

    /** From a node that watches to a member. */
    sealed interface Request extends WatchMessage {}

    /**
     * Tell me who holds the leases whose names begin with the prefix, and what changes. Also confirms {@link Changes}.
     *
     * @param boot names the member's memory that {@code version} is of; zeros: none is known
     * @param version what is known here; zero: nothing
     * @param asks whether the sender wants an answer also if nothing has changed since
     */
    record Watch(String prefix, Incarnation boot, long version, boolean asks) implements Request {}

    /** I no longer watch that prefix. */
    record Unwatch(String prefix) implements Request {}

    /**
     * From a member: what has changed at its acceptor. Counts only for a node that knows version {@code from} of that memory.
     *
     * @param boot names the member's memory, which ends with its process
     * @param from the version before the changes; with {@code reset} zero
     * @param to the version after them
     * @param reset forget what I have told before: all follows
     * @param isLast whether nothing more follows: what is known after it is what the member knows
     */
    record Changes(
            String prefix, Incarnation boot, long from, long to, boolean reset, boolean isLast, List<Change> changes)
            implements WatchMessage {

        /** The most that one message has: it fits into a frame. */
        public static final int MOST = 64;

        public Changes {
            changes = List.copyOf(changes);
        }
    }

    /**
     * What the acceptor has for a lease now.
     *
     * @param record null: no live record
     */
    record Change(String resource, @Nullable WatchedRecord record) {}
}
