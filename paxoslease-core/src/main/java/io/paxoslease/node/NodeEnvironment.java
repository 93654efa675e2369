package io.paxoslease.node;

import io.paxoslease.NodeStartException;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * What a running node stands on: clocks, threads, and the way to the other nodes. Used for one start
 * and one stop.
 */
public interface NodeEnvironment {

    NodeClock clock();

    /** The boot id of the machine; null where that is not known. On the node's thread. */
    default @Nullable String machineBoot() {
        return null;
    }

    /** A0: its quarantine counts from when an earlier life of this node can have answered at the latest. */
    LeaseAlgorithm newNode(Timing timing, Reading now);

    /**
     * Begins to hand over what comes in.
     *
     * @throws NodeStartException when the node cannot listen
     */
    void open(Transport.Receiver receiver);

    /** What watches the clocks of the node that stands on this; called once, before it is opened. */
    default void guardBy(ClockGuard guard) {}

    /** Runs tasks one at a time, in order. */
    ScheduledExecutorService loop();

    Transport transport();

    /** Where user code runs. */
    Executor callbacks();

    /**
     * Where the part of the library that is no node runs.
     *
     * @param own a thread that it has
     */
    default Executor worker(Executor own) {
        return own;
    }

    /** Sees to it that {@link #callbacks} has a thread while tasks wait, unless it is the user's. Called now and then. Never throws. */
    default void keepCallbacks() {}

    List<PeerState> peers();

    /** The clients of a member that admits some; else null. Any thread. */
    default @Nullable ClientCounts clients() {
        return null;
    }

    /** What is wrong with the register of that resource in the store that leases are kept in; null: nothing, or there is no store. Any thread. */
    default @Nullable String storeTrouble(String resource) {
        return null;
    }

    /**
     * The node found a fault in itself: closes every connection and accepts none, so that the other nodes count it as gone. On any
     * thread, the node's own too; does not wait.
     *
     * @return whether that is done; else it is called again
     */
    default boolean leave() {
        return true;
    }

    /** Whether tasks run on threads of the machine, which an Error may end: then another thread watches the node. */
    default boolean hasThreads() {
        return false;
    }

    void close();
}
