package io.paxoslease.transport;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/** Sends messages to other nodes. */
public interface Transport {

    /**
     * Sends the messages in one go if the node can be reached, and drops them if not, or if it is slow to take them: then releases wait, as
     * no node asks for them again. Never blocks and never throws; loss is fine. Called on the node's thread.
     */
    void send(NodeId to, List<Message> messages);

    /**
     * Whether the thread that it calls its receiver on has begun to end: it still takes tasks, and need not run them. By any thread. Never
     * throws.
     */
    default boolean isEnding() {
        return false;
    }

    /** Where that client comes from, which has many ids at will: its certificate, or its address. Empty if it is not known. On the node's thread. */
    default String sourceOf(NodeId client) {
        return "";
    }

    /** The node knows by now that this generation is sealed, which it tells each node that it meets. On the node's thread. */
    default void knowsSeal(int generation) {}

    /**
     * That generation is sealed, and a majority of its members is known to know: its list decides alone, and nodes that it leaves out are dialled no
     * more. Until then both lists decide (section 9, R4). On the node's thread.
     */
    default void sealed(int generation) {}

    /** The node takes this one to decide, or to follow that, and no other content of its number (section 9, R6). On the node's thread. */
    default void follows(Generation generation) {}

    /**
     * That generation follows the one that this node is of, and has begun elsewhere or is about to: those that it brings are to be dialled, and
     * every node that is connected, or is met from now on, is to be told of it, with the addresses, so that it asks both lists by the time that
     * the members move. May be called again for the same. On the node's thread.
     *
     * @param members everyone who votes before or after the change: node id to unresolved address
     */
    default void coming(Generation next, Map<NodeId, InetSocketAddress> members) {}

    /**
     * The members change while this node runs: from now on it is of that generation, which was {@link #coming} before, and says so to every node
     * that it meets. Those who are no member any more are not dialled once the generation is {@link #sealed}. On the node's thread.
     */
    default void changed(Generation generation) {}

    /** What a transport tells its node, on the node's thread. */
    interface Receiver {

        /** Instead of a sealed generation: the member only tells that another one is to come. */
        int TOLD = -1;

        /** Messages came in from a peer whose identity the handshake established. */
        void received(NodeId from, List<Message> messages);

        /** A change of the members has brought that peer, which is called from now on. */
        default void added(NodeId peer) {}

        /** Messages can reach that peer again. */
        void reachable(NodeId peer);

        /** Messages cannot reach that peer at present. */
        void unreachable(NodeId peer);

        /**
         * A member was met, and {@link #reachable} follows.
         *
         * @param generation what it runs
         * @param sealed the highest generation that it knows to be sealed; {@link #TOLD}: it does not run that generation, and has told of it
         */
        default void generationSeen(NodeId member, Generation generation, int sealed) {}

        /**
         * A node of this cell runs another configuration, so the two do not talk.
         *
         * @param difference what differs, for a sentence
         * @param isSealed whether the node knows that one to be sealed, or a later one, in the place of this node's (section 9, R7)
         */
        default void otherConfiguration(NodeId node, CellConfig config, String difference, boolean isSealed) {}

        /**
         * That member was connected to another process with this node's id (A0).
         *
         * @param nanosAgo how long ago by its clock; zero: it still is
         */
        default void otherLife(NodeId member, long nanosAgo) {}

        /**
         * The transport found a fault in what it does for the node, and not in what one peer sent: the node takes no further part. By any
         * thread; never throws.
         */
        default void failed(Throwable fault) {}

        /** Whether the node answers others now, as far as the protocol goes. */
        default boolean serves() {
            return true;
        }
    }
}
