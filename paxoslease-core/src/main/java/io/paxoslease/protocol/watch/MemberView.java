package io.paxoslease.protocol.watch;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Request;
import io.paxoslease.protocol.watch.WatchMessage.Unwatch;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one member has told of one prefix (section 10, V2). */
final class MemberView {

    private static final long PAUSE_NANOS = 1_000_000_000;
    /** After how long at least, and at most, it is tried again whether there is room for what a member tells. */
    private static final long SHORTEST_REST_NANOS = 60_000_000_000L;

    private static final long LONGEST_REST_NANOS = 32 * SHORTEST_REST_NANOS;
    /** An attempt takes one part in so many of the time, within these limits. */
    private static final long RESTS = 64;

    private static final Incarnation NO_BOOT = new Incarnation(0, 0);

    final NodeId member;
    private final String prefix;
    private final ViewMemory.Part memory;
    private Incarnation boot = NO_BOOT;
    private long version;
    private final Map<String, WatchedRecord> records = new HashMap<>();
    /** Whether it has told all that it knows, and tells of each change. */
    private boolean current;

    /** There was no room for what it tells: nothing is kept, and it is to tell nothing. */
    private boolean full;

    /** When that was found. */
    private Moment filledAt;

    /** When it began to tell all that it knows; null: it does not. */
    private @Nullable Moment loadsSince;

    private boolean unreachable;
    private @Nullable Moment askAt;

    MemberView(NodeId member, String prefix, ViewMemory.Part memory, Moment now) {
        this.member = member;
        this.prefix = prefix;
        this.memory = memory;
        this.askAt = now;
        this.filledAt = now;
    }

    boolean isCurrent() {
        return current;
    }

    boolean isFull() {
        return full;
    }

    /** What it has a live record of. */
    Set<String> resources() {
        return records.keySet();
    }

    @Nullable
    WatchedRecord record(String resource) {
        return records.get(resource);
    }

    /** When the next question is due; null: none is. */
    @Nullable
    Moment askAt() {
        return unreachable ? null : askAt;
    }

    /** The question that is due; null: none is. It is repeated each second until the member has told all. */
    @Nullable
    Watch ask(Moment now) {
        Moment at = askAt();
        if (at == null || now.isBefore(at)) {
            return null;
        }
        askAt = now.plusNanos(PAUSE_NANOS);
        full = false;
        return new Watch(prefix, boot, version, true);
    }

    /** The member can be reached again: what it has said in the meantime was lost, and it has forgotten this node. */
    void reachable(Moment now) {
        unreachable = false;
        if (!full) {
            askSoon(now);
        }
    }

    void unreachable() {
        unreachable = true;
        current = false;
    }

    private void askSoon(Moment now) {
        current = false;
        askAt = now;
    }

    /**
     * Takes what the member has told.
     *
     * @param touched the resources that may have changed are added to it
     * @return the confirmation; null: none is due
     */
    @Nullable
    Request hear(Changes told, Collection<String> touched, Moment now) {
        if (full) {
            return new Unwatch(prefix);
        }
        if (told.reset()) {
            touched.addAll(records.keySet());
            forget();
            boot = told.boot();
            version = 0;
            current = false;
            loadsSince = now;
        }
        if (!told.boot().equals(boot) || told.from() != version) {
            return new Watch(prefix, boot, version, false); // the member tells the rest from there
        }
        boolean confirms = told.to() != version || told.reset();
        version = told.to();
        for (Change change : told.changes()) {
            touched.add(change.resource());
            if (!take(change)) {
                touched.addAll(records.keySet());
                fill(now);
                return new Unwatch(prefix);
            }
        }
        if (told.isLast() && !unreachable) {
            current = true;
            loadsSince = null;
            askAt = null;
        } else if (!current) {
            askAt = now.plusNanos(PAUSE_NANOS); // more is on its way
        }
        return confirms ? new Watch(prefix, boot, version, false) : null;
    }

    /** Whether there was room for it. */
    private boolean take(Change change) {
        String resource = change.resource();
        WatchedRecord before = records.remove(resource);
        WatchedRecord record = change.record();
        if (record == null) {
            if (before != null) {
                memory.giveBack(resource, before);
            }
            return true;
        }
        boolean fits = memory.replace(resource, before, record, current);
        if (fits) {
            records.put(resource, record);
        }
        return fits;
    }

    /** What a member has told that cannot be reached is dropped. Whether that makes room. */
    boolean makeRoom() {
        boolean makes = unreachable && !records.isEmpty();
        if (makes) {
            forgetAll();
        }
        return makes;
    }

    /** There may be room for it now. */
    void retrySoon() {
        if (full && askAt != null) {
            askAt = Moment.earlier(askAt, filledAt.plusNanos(PAUSE_NANOS));
        }
    }

    private void forgetAll() {
        forget();
        boot = NO_BOOT;
        version = 0;
    }

    private void fill(Moment now) {
        forgetAll();
        current = false;
        full = true;
        filledAt = now;
        long took = loadsSince == null ? 0 : loadsSince.nanosUntil(now);
        long rest = RESTS * Math.min(took, LONGEST_REST_NANOS / RESTS);
        askAt = now.plusNanos(Math.max(rest, SHORTEST_REST_NANOS));
    }

    /** Drops everything that this member has told. */
    void forget() {
        records.forEach(memory::giveBack);
        records.clear();
    }
}
