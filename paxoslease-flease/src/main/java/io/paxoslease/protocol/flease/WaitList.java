package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.MessageSink;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which other nodes want what, in the order in which they came. Hints: they only tell whom to tell, and who comes first. */
final class WaitList {

    private static final long ONCE_NANOS = 1_000_000_000L;
    /** A node that waits asks again before that. */
    private static final long WAITS_NANOS = Backoff.LONGEST_WAIT + ONCE_NANOS;

    private record Entry(Interest interest, Moment until) {}

    /** What the list of one resource takes at most, of which members wait only. */
    private static final int BYTES_OF_ONE = 4_096;

    private final Map<String, Map<NodeId, Entry>> byResource = new LinkedHashMap<>();
    private final long most;

    /** @param bytes what all of it may take: beyond that, a node that waits for one resource more is not told */
    WaitList(long bytes) {
        this.most = bytes / BYTES_OF_ONE;
    }

    /** A node that wanted it before keeps its place. */
    void add(String resource, NodeId node, Interest interest, Moment now) {
        long nanos = interest == Interest.ONCE ? ONCE_NANOS : WAITS_NANOS;
        live(resource, now);
        if (byResource.size() >= most && !byResource.containsKey(resource)) {
            return;
        }
        byResource
                .computeIfAbsent(resource, r -> new LinkedHashMap<>())
                .put(node, new Entry(interest, now.plusNanos(nanos)));
    }

    void remove(String resource, NodeId node) {
        Map<NodeId, Entry> entries = byResource.get(resource);
        if (entries != null && entries.remove(node) != null && entries.isEmpty()) {
            byResource.remove(resource);
        }
    }

    void removeAll(NodeId node) {
        List.copyOf(byResource.keySet()).forEach(resource -> remove(resource, node));
    }

    /** All nodes that want it. */
    List<NodeId> all(String resource, Moment now) {
        return List.copyOf(live(resource, now).keySet());
    }

    /**
     * Tells all nodes that want it that it is free. Answers how many.
     *
     * @param ahead how many come before them
     */
    int tellFreed(String resource, int ahead, Moment now, MessageSink out) {
        List<NodeId> waiting = all(resource, now);
        for (int i = 0; i < waiting.size(); i++) {
            out.send(waiting.get(i), new FleaseMessage.Freed(resource, i + ahead));
        }
        return waiting.size();
    }

    /** Removes and answers those who want it now or never. */
    List<NodeId> takeOnce(String resource, Moment now) {
        List<NodeId> taken = new ArrayList<>();
        live(resource, now).forEach((node, entry) -> {
            if (entry.interest() == Interest.ONCE) {
                taken.add(node);
            }
        });
        taken.forEach(node -> remove(resource, node));
        return taken;
    }

    private Map<NodeId, Entry> live(String resource, Moment now) {
        Map<NodeId, Entry> entries = byResource.get(resource);
        if (entries == null) {
            return Map.of();
        }
        entries.values().removeIf(entry -> !now.isBefore(entry.until()));
        if (entries.isEmpty()) {
            byResource.remove(resource);
        }
        return entries;
    }

    /** Drops what is over, of the resource whose turn it is and those after it, up to one that is wanted yet: its next turn is the last. */
    void forget(Moment now) {
        while (!byResource.isEmpty()) {
            String next = byResource.keySet().iterator().next();
            Map<NodeId, Entry> wanted = live(next, now);
            if (!wanted.isEmpty()) {
                byResource.remove(next);
                byResource.put(next, wanted);
                return;
            }
        }
    }

    /** How many resources are wanted, as far as is remembered. */
    int size() {
        return byResource.size();
    }

    void clear() {
        byResource.clear();
    }
}
