package io.paxoslease.transport;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * How a node introduces itself on a new connection, in both directions.
 *
 * @param config the configuration that the node runs
 * @param from who it is
 * @param to whom it means to talk to
 * @param bootId drawn at each start of a node: two of them for one node id are two processes
 * @param versions of the wire format, that it speaks; in a {@link Frames#WELCOME} the one that is agreed on
 * @param role what it is to its cell
 * @param application which application a client is an instance of, for people; empty when it does not say, and of a member
 * @param sealed the highest generation that it knows to be sealed (section 9)
 * @param lastBoot which process with the id of the addressee the sender was connected to last (A0); null: it does not say, or knows of none
 */
public record Hello(
        CellConfig config,
        NodeId from,
        NodeId to,
        Incarnation bootId,
        Versions versions,
        Role role,
        String application,
        int sealed,
        @Nullable LastBoot lastBoot) {

    /** What a node is to its cell. */
    public enum Role {
        /** It votes and remembers. */
        MEMBER,
        /** It asks for leases only. */
        CLIENT
    }

    /**
     * A process with the id of a member, as another member has met it.
     *
     * @param bootId which process
     * @param nanosAgo how long ago it was connected, in nanoseconds; zero: it still is
     */
    public record LastBoot(Incarnation bootId, long nanosAgo) {}

    /** A node that knows of no seal except from its configuration, and has met no process with the id of the addressee. */
    public Hello(
            CellConfig config,
            NodeId from,
            NodeId to,
            Incarnation bootId,
            Versions versions,
            Role role,
            String application) {
        this(config, from, to, bootId, versions, role, application, config.sealed(), null);
    }

    /** A member. */
    public Hello(CellConfig config, NodeId from, NodeId to, Incarnation bootId, Versions versions) {
        this(config, from, to, bootId, versions, Role.MEMBER, "");
    }

    /** The same with other versions, without what the node has met: for the welcome, and when another node passes it on. */
    public Hello in(Versions spoken) {
        return new Hello(config, from, to, bootId, spoken, role, application, sealed, null);
    }

    /** The same with the highest generation that the node knows to be sealed. */
    public Hello whenSealed(int generation) {
        return new Hello(config, from, to, bootId, versions, role, application, generation, lastBoot);
    }

    /** The same with the process that the node was connected to last under the id of the addressee. */
    public Hello afterMeeting(@Nullable LastBoot boot) {
        return new Hello(config, from, to, bootId, versions, role, application, sealed, boot);
    }
}
