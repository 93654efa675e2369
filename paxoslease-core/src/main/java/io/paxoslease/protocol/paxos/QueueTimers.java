package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When to look at the queue of a resource because the record that it waits behind may have expired (Q8). A renewal does not touch
 * it: at its end it is looked at again. Bounded; what it has no room for is served when its proposers ask again.
 */
final class QueueTimers {

    private static final int MOST = 65_536;

    private static final class Queue extends Timed {
        private final String resource;

        Queue(String resource) {
            this.resource = resource;
        }
    }

    private final Timers timers = new Timers();
    private final Map<String, Queue> queues = new HashMap<>();

    /** The record ends then, if it is not renewed. */
    void watch(String resource, Moment end) {
        Queue queue = queues.get(resource);
        if (queue == null && queues.size() < MOST) {
            queue = new Queue(resource);
            queues.put(resource, queue);
        }
        if (queue != null) {
            timers.set(queue, end);
        }
    }

    /** Removes and answers the resources whose time has come. */
    List<String> poll(Moment now) {
        List<String> resources = List.of();
        for (Timed due = timers.poll(now); due != null; due = timers.poll(now)) {
            if (due instanceof Queue queue) {
                queues.remove(queue.resource);
                resources = resources.isEmpty() ? new ArrayList<>() : resources;
                resources.add(queue.resource);
            }
        }
        return resources;
    }

    /** When to look next; null: nothing is watched. */
    @Nullable
    Moment next() {
        return timers.next();
    }

    void clear() {
        queues.values().forEach(queue -> timers.set(queue, null));
        queues.clear();
    }
}
