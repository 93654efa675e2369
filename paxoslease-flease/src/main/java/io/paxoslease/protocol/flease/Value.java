package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What a register holds: a lease, or nothing.
 *
 * @param owner whose lease; null when there is none
 * @param endMicros when the lease ends, on the owner's wall clock: absolute, so it means the same on every node within the
 *     clock bound; zero when there is none
 * @param token the fencing token of the tenure, which names it; when there is no lease, of the last one
 */
public record Value(@Nullable Owner owner, long endMicros, long token) {

    public Value {
        if (owner == null && endMicros != 0) {
            throw new IllegalArgumentException("Where there is no lease, none ends: " + endMicros);
        }
    }

    /** What a register that was never written holds. */
    public static final Value NOTHING = new Value(null, 0, 0);

    /**
     * A node's life.
     *
     * @param node its name, for people and for messages
     * @param incarnation decides who owns
     */
    public record Owner(NodeId node, Incarnation incarnation) {}

    /** What a release leaves: no lease, and the token that the next tenure has to exceed. */
    Value released() {
        return new Value(null, 0, token);
    }

    boolean isEmpty() {
        return owner == null;
    }

    boolean isOf(Incarnation incarnation) {
        return owner != null && owner.incarnation().equals(incarnation);
    }
}
