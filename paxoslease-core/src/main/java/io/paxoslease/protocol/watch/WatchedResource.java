package io.paxoslease.protocol.watch;

import io.paxoslease.protocol.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What a watch knows of one lease (section 10, V3).
 *
 * @param owner the holder; null when it is free, or not known
 * @param note the holder's note; empty: none
 */
public record WatchedResource(
        String resource, State state, @Nullable NodeId owner, String note) {

    /** How much is known. */
    public enum State {
        /** A majority of acceptors names this holder. */
        HELD,
        /** A majority of acceptors has no live record. */
        FREE,
        /** Neither: the holder is the last one that was known, for as long as its lease can last. */
        UNKNOWN
    }
}
