package io.paxoslease.transport;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides whether a node that introduces itself may take part here. Not thread-safe. */
public final class Admission {

    private CellConfig own;
    private final NodeId self;
    /** Whom only the generation names that is to come. */
    private Set<NodeId> coming = Set.of();
    /** Processes of clients that were there, under such an id, when this node heard of it: they come back as they are. */
    private Map<NodeId, Incarnation> before = new HashMap<>();

    public Admission(CellConfig own, NodeId self) {
        this.own = own;
        this.self = self;
    }

    /** What this node runs from now on. */
    public void changed(CellConfig now) {
        own = now;
        coming = Set.of();
    }

    /**
     * That generation is to come. The ids that it adds are taken.
     *
     * @param clients the processes of clients that are connected under one of its ids
     */
    public void coming(Generation next, Map<NodeId, Incarnation> clients) {
        coming = Set.copyOf(next.everyone());
        before = new HashMap<>(clients);
    }

    /** The member of that id has come: the client that had it does not come back under it, wherever it is at that moment. */
    public void hasGivenWay(NodeId client) {
        before.remove(client);
    }

    /** Whether that generation comes after this node's own. */
    public boolean comes(Generation generation) {
        return own.clockBound() == null && own.generation().isFollowedBy(generation);
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
        if (!isMember(theirs, from)) {
            return stranger(theirs, from);
        }
        if (!hello.to().equals(self)) {
            return new Rejection(ConnectionRefusal.WRONG_NODE, isAnother(hello));
        }
        return judgeConfiguration(theirs, from);
    }

    /** One that is in either list of a generation that may meet this one, or of this one. */
    private boolean isMember(CellConfig theirs, NodeId from) {
        boolean isNamed = own.generation().everyone().contains(from)
                || (theirs.generation().everyone().contains(from) && differing(theirs, from) == null);
        return isNamed && !from.equals(self);
    }

    private Rejection stranger(CellConfig theirs, NodeId from) {
        boolean isNamedThere = theirs.generation().everyone().contains(from) && !from.equals(self);
        Rejection ofGenerations = judgeConfiguration(theirs, from);
        boolean isMarked = theirs.generation().number() > 1 || own.generation().number() > 1;
        if (isNamedThere && isMarked && ofGenerations != null) {
            return ofGenerations;
        }
        return new Rejection(
                ConnectionRefusal.NOT_A_MEMBER,
                "'%s' is no other member of this cell; the members at '%s' are %s%s: list the same peers on every node"
                        .formatted(
                                from,
                                self,
                                ConfigDifference.shortened(own.generation().everyone()),
                                isNamedThere ? ConfigDifference.marks(theirs, own, List.of("peers")) : ""));
    }

    private boolean isOfAnother(CellConfig theirs) {
        return !theirs.cell().equals(own.cell());
    }

    private Rejection another(CellConfig theirs) {
        return new Rejection(
                ConnectionRefusal.CELL,
                "cell '%s' meets cell '%s': give every node the same cell name, or correct the address"
                        .formatted(theirs.cell(), own.cell()));
    }

    /** Why a client may not hear who the members are; null when it may. */
    public @Nullable Rejection judgeContact(Hello hello) {
        if (isOfAnother(hello.config())) {
            return another(hello.config());
        }
        boolean isMember = own.generation().everyone().contains(hello.from());
        boolean comes = coming.contains(hello.from()) && !hello.bootId().equals(before.get(hello.from()));
        return isMember || comes
                ? new Rejection(
                        ConnectionRefusal.DUPLICATE_NODE,
                        "'%s' is the id of a member%s: give the client another, or none"
                                .formatted(hello.from(), isMember ? "" : " that is to come"))
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
     * the members that it names, or runs the same, or a generation that may meet this one.
     */
    public @Nullable String difference(Hello other) {
        CellConfig theirs = other.config();
        NodeId node = other.from();
        boolean isOfCell = theirs.cell().equals(own.cell())
                && theirs.generation().everyone().contains(node);
        ConfigDifference difference = isOfCell && !node.equals(self) ? differing(theirs, node) : null;
        return difference == null ? null : difference.what();
    }

    /**
     * R7: whether a node that runs another configuration knows members to be sealed in the place of this node's: later ones, or others of the
     * same number. Where nothing was sealed after a start, as without previous members, it knows of nothing.
     */
    public boolean isSealed(Hello other) {
        Generation theirs = other.config().generation();
        Generation ours = own.generation();
        boolean isOther = theirs.number() == ours.number() && !theirs.current().equals(ours.current());
        return theirs.previous() != null && other.sealed() >= ours.number() + (isOther ? 0 : 1);
    }

    private @Nullable Rejection judgeConfiguration(CellConfig theirs, NodeId from) {
        ConfigDifference difference = differing(theirs, from);
        return difference == null
                ? null
                : new Rejection(ConnectionRefusal.CONFIGURATION, difference.what() + ": " + difference.advice());
    }

    private @Nullable ConfigDifference differing(CellConfig theirs, NodeId from) {
        return ConfigDifference.between(theirs, from, own, self);
    }
}
