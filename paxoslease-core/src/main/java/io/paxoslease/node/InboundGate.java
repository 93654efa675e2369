package io.paxoslease.node;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Keeps what comes in from a node until it is known since when this life is the only one of its node (A0). Who was met before is told
 * then; messages are lost, as messages may be.
 */
final class InboundGate implements Transport.Receiver {

    private final Transport.Receiver node;
    /** Of the node's thread. */
    private final List<Runnable> met = new ArrayList<>();

    private boolean open;

    InboundGate(Transport.Receiver node) {
        this.node = node;
    }

    /** From then on the node hears everything. */
    void open(Executor nodeThread) {
        nodeThread.execute(() -> {
            open = true;
            met.forEach(Runnable::run);
            met.clear();
        });
    }

    private void meet(Runnable meeting) {
        if (open) {
            meeting.run();
        } else {
            met.add(meeting);
        }
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        if (open) {
            node.received(from, messages);
        }
    }

    @Override
    public void added(NodeId peer) {
        meet(() -> node.added(peer));
    }

    @Override
    public void reachable(NodeId peer) {
        meet(() -> node.reachable(peer));
    }

    @Override
    public void unreachable(NodeId peer) {
        meet(() -> node.unreachable(peer));
    }

    @Override
    public void generationSeen(NodeId member, Generation generation, int sealed) {
        meet(() -> node.generationSeen(member, generation, sealed));
    }

    @Override
    public void otherConfiguration(NodeId other, CellConfig config, String difference, boolean isSealed) {
        meet(() -> node.otherConfiguration(other, config, difference, isSealed));
    }

    @Override
    public void otherLife(NodeId member, long nanosAgo) {
        meet(() -> node.otherLife(member, nanosAgo));
    }

    @Override
    public void failed(Throwable fault) {
        node.failed(fault);
    }

    @Override
    public boolean serves() {
        return open && node.serves();
    }
}
