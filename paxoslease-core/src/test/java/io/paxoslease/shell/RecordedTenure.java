package io.paxoslease.shell;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import org.jspecify.annotations.Nullable;

/** From a grant to its release, loss or deadline, as one node's record tells it. */
final class RecordedTenure {

    final NodeId node;
    final String resource;
    final long token;
    final Moment granted;
    Reading until;
    /** When the node took note of the end; null while it had not. */
    @Nullable
    Moment ended;

    RecordedTenure(NodeId node, String resource, long token, Moment granted, Reading until) {
        this.node = node;
        this.resource = resource;
        this.token = token;
        this.granted = granted;
        this.until = until;
    }

    /** No authority rests on it from then on. */
    Moment end() {
        return ended == null ? until.moment() : Moment.earlier(ended, until.moment());
    }

    static String name(NodeId node, String resource, long token) {
        return "tenure %d of %s at node %s".formatted(token, resource, node);
    }

    @Override
    public String toString() {
        return name(node, resource, token);
    }
}
