package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The releases of the last while. A release that an acceptor missed would block others there until the record expires, so
 * it is repeated when the acceptor can be reached again. Bounded: the oldest are dropped first.
 */
final class RecentReleases {

    private static final int MAX = 1_024;

    private record Entry(Release release, Moment until) {}

    private final long keepNanos;
    private final Map<String, Entry> entries = new NewestLast();

    @SuppressWarnings("serial") // made for use, not to be stored
    private static final class NewestLast extends LinkedHashMap<String, Entry> {

        NewestLast() {
            super(16, 0.75f, true); // what is put again moves to the end
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
            return size() > MAX;
        }
    }

    /** No record outlives the quarantine, so a release older than that has nothing left to drop. */
    RecentReleases(Timing timing) {
        this.keepNanos = timing.quarantineNanos();
    }

    void add(Release release, Moment now) {
        entries.put(release.resource(), new Entry(release, now.plusNanos(keepNanos)));
    }

    void clear() {
        entries.clear();
    }

    List<Release> recent(Moment now) {
        entries.values().removeIf(entry -> !now.isBefore(entry.until()));
        return entries.values().stream().map(Entry::release).toList();
    }
}
