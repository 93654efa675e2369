package io.paxoslease.monitor;

import io.paxoslease.NodeMode;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one node.
 *
 * @param nodeId this node
 * @param cell the cell's name
 * @param incarnation this process's identity as a proposer, in hexadecimal; empty when the node is not running
 * @param state what its acceptor does
 * @param quarantine why and for how long the acceptor is silent; null when it is not
 * @param clocks what this process knows of its clocks
 * @param leaseTime the default lease time
 * @param maxLeaseTime the cell's longest lease
 * @param peers the other members; the contact points of a client that is joining
 * @param otherConfiguration which nodes of the cell were seen lately that run another configuration, what differs, and what to do; null
 *     when none was
 * @param algorithm what its algorithm has to say of itself while the node runs; null: nothing, as with PaxosLease
 * @param mode what it is to its cell
 * @param clients of a member that admits clients while it runs; else null
 * @param membership who decides, before, during and after a change of the members; null unless it runs PaxosLease
 */
public record NodeStatus(
        String nodeId,
        String cell,
        String incarnation,
        State state,
        @Nullable Quarantine quarantine,
        Clocks clocks,
        Duration leaseTime,
        Duration maxLeaseTime,
        List<PeerStatus> peers,
        @Nullable String otherConfiguration,
        @Nullable AlgorithmStatus algorithm,
        NodeMode mode,
        @Nullable ClientCounts clients,
        @Nullable MembershipStatus membership) {

    /** What the node's acceptor does; a client, which has none, serves while it runs. */
    public enum State {
        /** It answers. */
        SERVING,
        /** It is a client that asks its contact points who the members are. They are listed as its peers until one has answered. */
        JOINING,
        /** It is silent until all it may have forgotten has expired; also while its clock is out of the bounds that its algorithm relies on. */
        QUARANTINED,
        /** The node is not started, or was stopped. */
        STOPPED,
        /**
         * It found a fault in itself, closed its connections, and takes no further part until it is restarted. Or its algorithm
         * contends for nothing, see {@link AlgorithmStatus#problem}.
         */
        FAILED
    }

    /**
     * The silence of an acceptor that may have forgotten what it granted (A0), or whose clock may not be relied on.
     *
     * @param reason why it may have
     * @param remaining how long it stays silent yet
     */
    public record Quarantine(Reason reason, Duration remaining) {

        /** Why an acceptor may have forgotten. */
        public enum Reason {
            /** The node was started: an earlier life of it may have granted leases. */
            STARTED,
            /** The wall clock leapt ahead of the monotonic one: the process may have been restored from a snapshot. */
            CLOCKS_DISAGREED,
            /**
             * With an algorithm that relies on wall clocks: this one was set, or is not known to be within the clock bound of a majority's. The node takes no part
             * until it is, so nobody can say how long that lasts: what remains is at least so much, and may be zero.
             */
            CLOCK_OUT_OF_BOUNDS,
            /**
             * The members have changed since the configuration of this node was written, and the change is sealed. It does not vote
             * until it is restarted with the configuration of now, see {@link MembershipStatus#problem}.
             */
            GENERATION_OVER,
            /**
             * A node of the cell runs another configuration, and those that may run it could be a majority there: until they cannot any
             * more, and what they may have granted is over.
             */
            OTHER_CONFIGURATION
        }
    }

    /**
     * The two clocks of a process.
     *
     * @param trusted whether they agree now, and the node's thread is alive; while not, this node relies on no lease
     * @param disagreements how often they disagreed since the node was made
     */
    public record Clocks(boolean trusted, long disagreements) {}

    /** How long the acceptor stays silent yet; zero when it is not silent. */
    public Duration quarantineRemaining() {
        return quarantine == null ? Duration.ZERO : quarantine.remaining();
    }

    /**
     * How many members must answer, for anything to be granted or renewed; 1 while that is not known. While members change, majorities of
     * two lists must: then this and {@link #reachable} are of the list that is nearer to losing its majority.
     */
    public int majority() {
        return state == State.JOINING ? 1 : majority(decidingList());
    }

    /** How many of these members answer: this node, when it is one and runs, and the peers it is connected with. */
    public int reachable() {
        return reachable(decidingList());
    }

    private static int majority(List<String> members) {
        return members.size() / 2 + 1;
    }

    private int reachable(List<String> members) {
        if (state != State.SERVING && state != State.QUARANTINED) {
            return 0;
        }
        long answering = peers.stream()
                .filter(peer -> peer.connected() && members.contains(peer.nodeId()))
                .count();
        return (int) answering + (mode == NodeMode.MEMBER && members.contains(nodeId) ? 1 : 0);
    }

    /** Without a majority of it nothing is granted. */
    private List<String> decidingList() {
        List<String> list = membership == null ? everyone() : membership.members();
        if (membership == null || membership.mode() == MembershipStatus.Mode.SEALED) {
            return list;
        }
        List<String> before = membership.previousMembers();
        return reachable(before) - majority(before) < reachable(list) - majority(list) ? before : list;
    }

    private List<String> everyone() {
        Stream<String> others = peers.stream().map(PeerStatus::nodeId);
        return (mode == NodeMode.CLIENT ? others : Stream.concat(others, Stream.of(nodeId))).toList();
    }

    /** Whether enough members answer. */
    public boolean hasMajority() {
        return reachable() >= majority();
    }
}
