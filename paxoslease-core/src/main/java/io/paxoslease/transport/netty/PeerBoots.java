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
 * counts from then at the earliest (A0). What tells it may be lost. So the one before is remembered as well, until the next one is known to
 * have been told of it. One entry for each member. On the event loop.
 */
final class PeerBoots {

    /** Longer than the longest quarantine, which is three times 24 hours. */
    private static final long KEPT_NANOS = TimeUnit.DAYS.toNanos(4);
    /** More than two generations have members. */
    private static final int MAX_MEMBERS = 128;
    /** The process of this id has not started, nor will it. */
    private static final Incarnation OF_NONE = new Incarnation(0, 0);

    private final Map<NodeId, Boot> boots = new LinkedHashMap<>();
    private final LongSupplier nanoTime;

    /**
     * @param seenAt when it was connected last; of one that is connected, since when
     * @param before the last other one, which it may not have been told of; null: there was none, or it was told
     */
    private record Boot(
            Incarnation id,
            boolean connected,
            long seenAt,
            @Nullable Boot before) {

        /** What a process is to be told that starts after this one. */
        Boot asEarlierOne(long now) {
            return new Boot(id, false, connected ? now : seenAt, null);
        }
    }

    PeerBoots(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A handshake with that process of the member is complete here. It may not have read yet what it was told. */
    void connected(NodeId member, Incarnation boot) {
        long now = nanoTime.getAsLong();
        boots.values().removeIf(each -> !each.connected() && now - each.seenAt() > KEPT_NANOS);
        Boot last = boots.remove(member);
        if (boots.size() >= MAX_MEMBERS) {
            boots.remove(leastNeeded());
        }
        boots.put(member, new Boot(boot, true, now, lastOther(last, boot, now)));
    }

    private static @Nullable Boot lastOther(@Nullable Boot last, Incarnation boot, long now) {
        if (last == null) {
            return null;
        }
        return last.id().equals(boot) ? last.before() : last.asEarlierOne(now);
    }

    /** That process of the member has read what it was told. */
    void told(NodeId member, Incarnation boot) {
        boots.computeIfPresent(
                member,
                (id, last) -> last.id().equals(boot) ? new Boot(boot, last.connected(), last.seenAt(), null) : last);
    }

    private NodeId leastNeeded() {
        for (Map.Entry<NodeId, Boot> each : boots.entrySet()) {
            if (!each.getValue().connected()) {
                return each.getKey();
            }
        }
        return boots.keySet().iterator().next();
    }

    void disconnected(NodeId member) {
        boots.computeIfPresent(member, (id, boot) -> new Boot(boot.id(), false, nanoTime.getAsLong(), boot.before()));
    }

    boolean isConnected(NodeId member) {
        Boot last = boots.get(member);
        return last != null && last.connected();
    }

    /** What that process of the member is told: of the last other one, if it may not know of that; null: nothing is known. */
    Hello.@Nullable LastBoot last(NodeId member, Incarnation boot) {
        Boot last = boots.get(member);
        Boot before = last != null && last.id().equals(boot) ? last.before() : null;
        return toTell(before == null ? last : before);
    }

    /**
     * What is told to a process of that member which this node calls, so that it is not known yet which one answers. While one is connected,
     * that one is told: any other one is refused. Else it may be the last one, or not: each takes it for another.
     */
    Hello.@Nullable LastBoot last(NodeId member) {
        Boot last = boots.get(member);
        if (last == null || last.before() == null) {
            return toTell(last);
        }
        return last.connected() ? toTell(last.before()) : toTell(new Boot(OF_NONE, false, last.seenAt(), null));
    }

    private Hello.@Nullable LastBoot toTell(@Nullable Boot boot) {
        if (boot == null) {
            return null;
        }
        long nanosAgo = boot.connected() ? 0 : Math.max(0, nanoTime.getAsLong() - boot.seenAt());
        return nanosAgo > KEPT_NANOS ? null : new Hello.LastBoot(boot.id(), nanosAgo);
    }

    /** Whether another process of that member has been connected since, or was connected then: what this one was told is out of date. */
    boolean hasMetAnother(NodeId member, Incarnation boot, long sinceNanos) {
        Boot last = boots.get(member);
        Boot other = last != null && last.id().equals(boot) ? last.before() : last;
        return other != null && (other.connected() || other.seenAt() - sinceNanos > 0);
    }
}
