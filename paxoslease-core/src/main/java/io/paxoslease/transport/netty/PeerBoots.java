package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Hello;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which process of each member this node was connected to last, and until when: the next process of that member is told, as its quarantine
 * counts from then at the earliest (A0). One entry for each member. On the event loop.
 */
final class PeerBoots {

    /** Longer than the longest quarantine, which is three times 24 hours. */
    private static final long KEPT_NANOS = TimeUnit.DAYS.toNanos(4);
    /** More than two generations have members. */
    private static final int MAX_MEMBERS = 128;

    private final Map<NodeId, Boot> boots = new LinkedHashMap<>();
    private final LongSupplier nanoTime;

    /** @param seenAt when it was connected last; of one that is connected, since when */
    private record Boot(Incarnation id, boolean connected, long seenAt) {}

    PeerBoots(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A handshake with that process of the member is complete. */
    void connected(NodeId member, Incarnation boot) {
        long now = nanoTime.getAsLong();
        boots.values().removeIf(each -> !each.connected() && now - each.seenAt() > KEPT_NANOS);
        boots.remove(member);
        if (boots.size() >= MAX_MEMBERS) {
            boots.remove(leastNeeded());
        }
        boots.put(member, new Boot(boot, true, now));
    }

    private NodeId leastNeeded() {
        for (Map.Entry<NodeId, Boot> each : boots.entrySet()) {
            if (!each.getValue().connected()) {
                return each.getKey();
            }
        }
        return boots.keySet().iterator().next();
    }

    /** The last connection with the member is gone. */
    void disconnected(NodeId member) {
        boots.computeIfPresent(member, (id, boot) -> new Boot(boot.id(), false, nanoTime.getAsLong()));
    }

    /** What a process of that member is told; null: nothing is known. */
    Hello.@Nullable LastBoot last(NodeId member) {
        Boot boot = boots.get(member);
        if (boot == null) {
            return null;
        }
        long nanosAgo = boot.connected() ? 0 : Math.max(0, nanoTime.getAsLong() - boot.seenAt());
        return nanosAgo > KEPT_NANOS ? null : new Hello.LastBoot(boot.id(), nanosAgo);
    }

    /** Whether another process of that member has been connected since, or was connected then: what this one was told is out of date. */
    boolean hasMetAnother(NodeId member, Incarnation boot, long sinceNanos) {
        Boot last = boots.get(member);
        return last != null && !last.id().equals(boot) && (last.connected() || last.seenAt() - sinceNanos > 0);
    }
}
