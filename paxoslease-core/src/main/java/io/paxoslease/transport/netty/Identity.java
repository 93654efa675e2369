package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Hello.Role;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Versions;

/** What this node says of itself in every handshake. */
record Identity(
        CellConfig config,
        NodeId self,
        Incarnation bootId,
        Versions versions,
        Role role,
        String application,
        MessageTypes others) {

    /** A member. */
    Identity(CellConfig config, NodeId self, Incarnation bootId, Versions versions, MessageTypes others) {
        this(config, self, bootId, versions, Role.MEMBER, "", others);
    }

    boolean isClient() {
        return role == Role.CLIENT;
    }

    /** The same node with another configuration. */
    Identity running(CellConfig now) {
        return new Identity(now, self, bootId, versions, role, application, others);
    }

    Hello helloTo(NodeId peer) {
        return new Hello(config, self, peer, bootId, versions, role, application);
    }
}
