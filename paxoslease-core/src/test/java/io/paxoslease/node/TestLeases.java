package io.paxoslease.node;

import io.paxoslease.LossReason;
import io.paxoslease.protocol.Reading;
import java.util.concurrent.TimeUnit;

/** What a node's thread does to a lease, for tests of locks and elections. */
public final class TestLeases {

    private TestLeases() {}

    /** A lease that is held until then. */
    public static HeldLease held(NodeRuntime node, String resource, long token, Reading until) {
        return new HeldLease(node, resource, token, until);
    }

    /** Answers whether it ends by this call. */
    public static boolean lose(HeldLease lease, LossReason reason) {
        return lease.lose(reason);
    }

    /** Answers whether it is given up now. */
    public static boolean wanted(HeldLease lease) {
        return lease.wanted();
    }

    public static void suspect(HeldLease lease) {
        lease.suspect();
    }

    /** A majority has confirmed it. It is held for another hour, or until the node loses it. */
    public static void confirm(HeldLease lease) {
        lease.extend(lease.clock().read().plusNanos(TimeUnit.HOURS.toNanos(1)));
    }

    /** Releases it to the cell, whatever its user does. */
    public static void giveUp(HeldLease lease) {
        lease.node().giveUp(lease);
    }
}
