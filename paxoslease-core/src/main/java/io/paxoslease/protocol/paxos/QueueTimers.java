package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When to look at the queue of a resource because the record that it waits behind may have expired (Q8). A renewal does not touch
 * it: at its end it is looked at again. Bounded; beyond that, what is not waited for any more makes room, and what there is no room for
 * is served when its proposers ask again.
 */
final class QueueTimers {

    private static final int MOST = 65_536;
    /** How many are looked at to make room for one. */
    private static final int LOOKED_AT = 8;

    private static final class Queue extends Timed {
        private final String resource;

        Queue(String resource) {
            this.resource = resource;
        }
    }

    private final Timers timers = new Timers();
    /** Those that were looked at longest ago first, as far as room was made. */
    private final Map<String, Queue> queues = new LinkedHashMap<>();

    private final Waiters waiters;
    private final int most;

    /**
     * @param bytes what those that wait may have: there are no more resources that anybody waits for
     * @param waiters who waits
     */
    QueueTimers(long bytes, Waiters waiters) {
        this.waiters = waiters;
        this.most = (int) Math.min(MOST, bytes / Waiters.BYTES_OF_ONE);
    }

    /** The record ends then, if it is not renewed. */
    void watch(String resource, Moment end, Reading now) {
        Queue queue = queues.get(resource);
        if (queue == null && (queues.size() < most || makeRoom(now))) {
            queue = new Queue(resource);
            queues.put(resource, queue);
        }
        if (queue != null) {
            timers.set(queue, end);
        }
    }

    /** Looks at a few only. The next call looks at others. */
    private boolean makeRoom(Reading now) {
        for (int i = 0; i < LOOKED_AT && !queues.isEmpty(); i++) {
            Map.Entry<String, Queue> oldest = queues.entrySet().iterator().next();
            queues.remove(oldest.getKey());
            if (!waiters.isWanted(oldest.getKey(), now)) {
                timers.set(oldest.getValue(), null);
                return true;
            }
            queues.put(oldest.getKey(), oldest.getValue());
        }
        return false;
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
