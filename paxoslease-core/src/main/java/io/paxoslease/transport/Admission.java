package io.paxoslease.transport;

import io.paxoslease.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Decides whether a node that introduces itself may take part here. */
public final class Admission {

    private final CellConfig own;
    private final NodeId self;

    public Admission(CellConfig own, NodeId self) {
        this.own = own;
        this.self = self;
    }

    /** Why the node may not take part; null when it may. */
    public @Nullable Rejection judge(Hello hello) {
        CellConfig theirs = hello.config();
        NodeId from = hello.from();
        if (hello.role() == Hello.Role.CLIENT) {
            return judgeClient(hello);
        }
        if (isOfAnother(theirs)) {
            return another(theirs);
        }
        if (!own.members().contains(from) || from.equals(self)) {
            return new Rejection(
                    ConnectionRefusal.NOT_A_MEMBER,
                    "'%s' is no other member of this cell; the members at '%s' are %s: list the same peers on every node"
                            .formatted(from, self, names(own.members())));
        }
        if (!hello.to().equals(self)) {
            return new Rejection(ConnectionRefusal.WRONG_NODE, isAnother(hello));
        }
        return judgeConfiguration(theirs, from);
    }

    private boolean isOfAnother(CellConfig theirs) {
        return !theirs.cell().equals(own.cell());
    }

    private Rejection another(CellConfig theirs) {
        return new Rejection(
                ConnectionRefusal.CELL,
                "cell '%s' meets cell '%s': set the same cell name on every node, or correct the address"
                        .formatted(theirs.cell(), own.cell()));
    }

    /** Why a client may not hear who the members are; null when it may. */
    public @Nullable Rejection judgeContact(Hello hello) {
        if (isOfAnother(hello.config())) {
            return another(hello.config());
        }
        return own.members().contains(hello.from())
                ? new Rejection(
                        ConnectionRefusal.DUPLICATE_NODE,
                        "'%s' is the id of a member: give the client another, or none".formatted(hello.from()))
                : null;
    }

    /** A client whose members are other ones could lease what another node holds here. */
    private @Nullable Rejection judgeClient(Hello hello) {
        Rejection rejection = judgeContact(hello);
        if (rejection != null) {
            return rejection;
        }
        NodeId from = hello.from();
        return hello.to().equals(self)
                ? judgeConfiguration(hello.config(), from)
                : new Rejection(ConnectionRefusal.WRONG_NODE, isAnother(hello));
    }

    private String isAnother(Hello hello) {
        return "'%s' looks for '%s' but reached '%s': correct the address of '%s' in the peers"
                .formatted(hello.from(), hello.to(), self, hello.to());
    }

    /**
     * What differs when a node of the same cell runs another configuration, for a sentence; null when it is of another cell, or is none of
     * the members that it names, or runs the same.
     */
    public @Nullable String difference(Hello other) {
        CellConfig theirs = other.config();
        NodeId node = other.from();
        boolean isOfCell = theirs.cell().equals(own.cell()) && theirs.members().contains(node);
        return isOfCell && !node.equals(self) ? differing(theirs, node) : null;
    }

    private @Nullable Rejection judgeConfiguration(CellConfig theirs, NodeId from) {
        String differing = differing(theirs, from);
        return differing == null
                ? null
                : new Rejection(ConnectionRefusal.CONFIGURATION, differing + ": configure the same on every node");
    }

    private @Nullable String differing(CellConfig theirs, NodeId from) {
        if (!theirs.members().equals(own.members())) {
            return differs("peers", names(theirs.members()), names(own.members()), from);
        }
        if (!theirs.maxLeaseTime().equals(own.maxLeaseTime())) {
            return differs("maximum lease times", theirs.maxLeaseTime(), own.maxLeaseTime(), from);
        }
        if ((theirs.clockBound() == null) != (own.clockBound() == null)) {
            return differs("algorithms (paxoslease.algorithm)", algorithm(theirs), algorithm(own), from);
        }
        if (!Objects.equals(theirs.clockBound(), own.clockBound())) {
            return differs("clock bounds", String.valueOf(theirs.clockBound()), String.valueOf(own.clockBound()), from);
        }
        if (theirs.clockDrift() != own.clockDrift()) {
            return differs("clock drift bounds", theirs.clockDrift(), own.clockDrift(), from);
        }
        return null;
    }

    private static String algorithm(CellConfig config) {
        return config.clockBound() == null ? "PaxosLease" : "Flease";
    }

    private String differs(String what, Object theirs, Object ours, NodeId from) {
        return "the %s differ, %s at '%s' but %s at '%s'".formatted(what, theirs, from, ours, self);
    }

    private static String names(List<NodeId> members) {
        String all = members.toString();
        return all.length() <= 100 ? all : all.substring(0, 100) + "…]";
    }
}
