package io.paxoslease.storage;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * Notices another client under this node's id. A stamp of an earlier life of this node may stand in a register, but it does not
 * change: if it does, whoever writes is alive. Exclusion does not rest on ids; people who look for a holder, and logs, do.
 */
final class TwinWatch {

    /** How long it counts as alive: then this client contends again, and looks. */
    private static final long ALIVE_NANOS = 10_000_000_000L;

    private static final long PAUSE_NANOS = 60_000_000_000L;

    private final NodeId self;
    private final StorageRules rules;
    private Moment bornAt;
    private @Nullable Moment seenAt;
    private @Nullable Moment toldAt;
    private String where = "";

    TwinWatch(NodeId self, StorageRules rules, Moment bornAt) {
        this.self = self;
        this.rules = rules;
        this.bornAt = bornAt;
    }

    /** What this client wrote before is an earlier life's from now on. */
    void startAnew(Moment now) {
        bornAt = now;
    }

    /**
     * Takes in what a register has.
     *
     * @param before when this client looked last; null when the register has not changed since, or this is the first look
     * @return what to tell people; null: nothing
     */
    @Nullable
    String notice(@Nullable Stamp stamp, @Nullable Moment before, Incarnation own, String resource, Moment now) {
        if (stamp == null) {
            return null;
        }
        boolean foreign = stamp.owner().equals(self) && !stamp.incarnation().equals(own);
        // A write of an earlier life that has just died may have its effect yet; and one that ends says so.
        boolean alive = foreign
                && !stamp.isReleased()
                && before != null
                && !before.isBefore(bornAt.plusNanos(2 * rules.boundNanos()));
        if (!alive) {
            return null;
        }
        seenAt = now;
        where = resource;
        if (toldAt != null && toldAt.nanosUntil(now) < PAUSE_NANOS) {
            return null;
        }
        toldAt = now;
        return problem(now);
    }

    /** Why this client contends for nothing at present; null when it does. */
    @Nullable
    String problem(Moment now) {
        if (seenAt == null || seenAt.nanosUntil(now) >= ALIVE_NANOS) {
            return null;
        }
        return "Another client with the node id '%s' is alive: it writes to the register of lease '%s'. Give every client an id of its own, and restart this one"
                .formatted(self, where);
    }
}
