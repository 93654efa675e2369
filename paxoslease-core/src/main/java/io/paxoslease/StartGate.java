package io.paxoslease;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Transport;
import java.util.List;

/** Keeps what comes in from a node until it is known since when this life is the only one of its node (A0). */
final class StartGate implements Transport.Receiver {

    private final Transport.Receiver node;
    private volatile boolean open;

    StartGate(Transport.Receiver node) {
        this.node = node;
    }

    /** From now on the node hears everything. What came before is lost, as messages may be. */
    void open() {
        open = true;
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        if (open) {
            node.received(from, messages);
        }
    }

    @Override
    public void reachable(NodeId peer) {
        if (open) {
            node.reachable(peer);
        }
    }

    @Override
    public void unreachable(NodeId peer) {
        if (open) {
            node.unreachable(peer);
        }
    }
}
