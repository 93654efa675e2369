package io.paxoslease.node;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Transport;
import java.util.ArrayList;
import java.util.List;

/** Hands what comes in on registers to them, new peers to the observers, and everything else to the node that runs the lease algorithm. */
final class RegisterReceiver implements Transport.Receiver {

    private final Transport.Receiver node;
    private final NodeRegisters registers;
    private final Observers observers;

    RegisterReceiver(Transport.Receiver node, NodeRegisters registers, Observers observers) {
        this.node = node;
        this.registers = registers;
        this.observers = observers;
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        if (!anyOnRegisters(messages)) {
            node.received(from, messages);
            guarded(registers::look);
            return;
        }
        List<Message> onLeases = new ArrayList<>();
        List<MaxRegisterMessage> onRegisters = new ArrayList<>();
        for (Message message : messages) {
            if (message instanceof MaxRegisterMessage one) {
                onRegisters.add(one);
            } else {
                onLeases.add(message);
            }
        }
        if (!onLeases.isEmpty()) {
            node.received(from, onLeases);
        }
        guarded(() -> registers.received(from, onRegisters));
    }

    /** A fault of the registers is the node's, and not of the connection that the message came by. */
    private void guarded(Runnable code) {
        try {
            code.run();
        } catch (RuntimeException | Error fault) {
            node.failed(fault);
        }
    }

    @Override
    public void failed(Throwable fault) {
        node.failed(fault);
    }

    private static boolean anyOnRegisters(List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof MaxRegisterMessage) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void added(NodeId peer) {
        observers.tell(observer -> observer.peerAdded(peer.name()));
    }

    @Override
    public void reachable(NodeId peer) {
        node.reachable(peer);
        guarded(() -> registers.reachable(peer));
    }

    @Override
    public void unreachable(NodeId peer) {
        node.unreachable(peer);
        guarded(() -> registers.unreachable(peer));
    }

    @Override
    public void generationSeen(NodeId member, Generation generation, int sealed) {
        node.generationSeen(member, generation, sealed);
        guarded(() -> registers.met(member, generation));
    }

    @Override
    public void otherConfiguration(NodeId other, CellConfig config, String difference, boolean isSealed) {
        node.otherConfiguration(other, config, difference, isSealed);
    }

    @Override
    public void otherLife(NodeId member, long nanosAgo) {
        node.otherLife(member, nanosAgo);
    }

    @Override
    public boolean serves() {
        return node.serves();
    }
}
