package io.paxoslease.protocol.watch;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;

/**
 * An acceptor's live record of a lease, as it tells it to those that watch.
 *
 * @param node the owner
 * @param incarnation the owner's
 * @param counter of the record when it was told; of two notes of one owner, the one with the higher counter is the later one
 * @param note the owner's note; empty: none
 */
public record WatchedRecord(NodeId node, Incarnation incarnation, long counter, String note) {

    /** Whether those that watch need not be told of the other after this one: it differs at most in the counter, as after a renewal. */
    public boolean tellsTheSame(WatchedRecord other) {
        return node.equals(other.node) && incarnation.equals(other.incarnation) && note.equals(other.note);
    }
}
