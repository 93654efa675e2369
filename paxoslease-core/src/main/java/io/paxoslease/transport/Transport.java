package io.paxoslease.transport;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import java.util.List;

/** Sends messages to other nodes. */
public interface Transport {

    /**
     * Sends the messages in one go if the node can be reached, and drops them if not, or if it is slow to take them. Never
     * blocks and never throws; loss is fine. Called on the node's thread.
     */
    void send(NodeId to, List<Message> messages);

    /** What a transport tells its node, on the node's thread. */
    interface Receiver {

        /** Messages came in from a peer whose identity the handshake established. */
        void received(NodeId from, List<Message> messages);

        /** Messages can reach that peer again. */
        void reachable(NodeId peer);

        /** Messages cannot reach that peer at present. */
        void unreachable(NodeId peer);
    }
}
