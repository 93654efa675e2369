package io.paxoslease.node;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Transport;
import java.util.List;

/** Does nothing about whatever comes. */
class DeafReceiver implements Transport.Receiver {

    @Override
    public void received(NodeId from, List<Message> messages) {}

    @Override
    public void reachable(NodeId peer) {}

    @Override
    public void unreachable(NodeId peer) {}
}
