package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Event.Received;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Unwatch;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import io.paxoslease.protocol.watch.WatchedRecord;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Draws events about watches, and leases that can be watched; apart from other events, so that those do not depend on it. */
final class RandomWatches {

    /** How many leases can be watched. */
    static final int LEASES = 6;

    static final List<String> PREFIXES = List.of("role:", "role:1", "shard:g/", "shards:");

    private final SplittableRandom random = new SplittableRandom(15);
    private final List<NodeId> nodes;

    RandomWatches(List<NodeId> nodes) {
        this.nodes = nodes;
    }

    /** Null: it is the turn of other events. */
    @Nullable
    Event next(Reading now) {
        if (random.nextInt(8) > 0) {
            return null;
        }
        return switch (random.nextInt(8)) {
            case 0 -> new Event.Watch(prefix());
            case 1 -> new Event.Unwatch(prefix());
            default -> new Received(node(), message(now));
        };
    }

    private Message message(Reading now) {
        return switch (random.nextInt(8)) {
            case 0, 1 -> new Watch(anyPrefix(), boot(), version(), random.nextBoolean());
            case 2 -> new Unwatch(anyPrefix());
            case 3, 4 -> changes(now);
            case 5 -> new PaxosMessage.Release(lease(), incarnation(), now.wallMicros());
            default ->
                new PaxosMessage.Propose(
                        lease(), new Ballot(now.wallMicros(), incarnation()), 1 + random.nextInt(500_000_000), 1);
        };
    }

    private Changes changes(Reading now) {
        List<Change> changes =
                Stream.generate(() -> change(now)).limit(random.nextInt(4)).toList();
        return new Changes(
                anyPrefix(), boot(), version(), version(), random.nextBoolean(), random.nextBoolean(), changes);
    }

    private Change change(Reading now) {
        return new Change(
                lease(),
                random.nextBoolean() ? null : new WatchedRecord(node(), incarnation(), now.wallMicros(), "note"));
    }

    private String lease() {
        return "role:" + random.nextInt(LEASES);
    }

    private String prefix() {
        return PREFIXES.get(random.nextInt(PREFIXES.size()));
    }

    private String anyPrefix() {
        return random.nextInt(8) == 0 ? "lock:x" : prefix();
    }

    private Incarnation boot() {
        return new Incarnation(random.nextInt(8), random.nextInt(3));
    }

    private Incarnation incarnation() {
        return new Incarnation(8, random.nextInt(3));
    }

    private long version() {
        return random.nextInt(8) == 0 ? Long.MAX_VALUE : random.nextInt(4);
    }

    private NodeId node() {
        return nodes.get(random.nextInt(nodes.size()));
    }
}
