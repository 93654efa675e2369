package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/** What an operator is told of another process that has answered as this node (A0). */
public final class OtherLifeText {

    /** A peer notices within that time that the last process has ended, so a restart is nothing to tell of. */
    private static final long USUAL_NANOS = 1_000_000_000L;

    private OtherLifeText() {}

    /**
     * What to say.
     *
     * @param beforeNanos for how long the node was silent without it
     * @param silentNanos for how long it is silent now
     * @return null when it is of no account
     */
    public static @Nullable Effect of(NodeId self, Event.OtherLife other, long beforeNanos, long silentNanos) {
        NodeId seenBy = other.seenBy();
        return seenBy == null || silentNanos - beforeNanos <= USUAL_NANOS
                ? null
                : new Effect.Notice(
                        Effect.Notice.Level.ERROR,
                        "Node '%s': member '%s' was connected to another process with this node id until %d ms ago. This node does not vote for another %d ms, until all that the other process may have granted has ended. Give every process a node id of its own, and start one after the last one has ended. If you do: this was the last process, member '%s' has only now been met, and the wait is a precaution."
                                .formatted(
                                        self, seenBy, other.nanosAgo() / 1_000_000, silentNanos / 1_000_000, seenBy));
    }
}
