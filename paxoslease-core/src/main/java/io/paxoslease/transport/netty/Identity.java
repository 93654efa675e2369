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

    /** Of a member. */
    Identity(CellConfig config, NodeId self, Incarnation bootId, Versions versions, MessageTypes others) {
        this(config, self, bootId, versions, Role.MEMBER, "", others);
    }

    /** What every release that this node can talk to speaks. */
    Versions lowest() {
        return Versions.only(versions.lowest());
    }

    boolean isClient() {
        return role == Role.CLIENT;
    }

    /** With those of the versions in which it can say which generation it runs. */
    static Versions spoken(CellConfig config, Versions versions) {
        return versions.ofGeneration(config.generation().number());
    }

    /** The same node, once it runs that. */
    Identity running(CellConfig now) {
        return new Identity(now, self, bootId, spoken(now, versions), role, application, others);
    }

    /** @param spoken what the peer is told that this node speaks */
    Hello helloTo(NodeId peer, Versions spoken) {
        return new Hello(config, self, peer, bootId, spoken, role, application);
    }
}
