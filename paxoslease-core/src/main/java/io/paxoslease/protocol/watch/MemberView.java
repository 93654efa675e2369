package io.paxoslease.protocol.watch;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one member has told of one prefix (section 10, V2). */
final class MemberView {

    private static final long FIRST_PAUSE_NANOS = 1_000_000_000;
    private static final long LONGEST_PAUSE_NANOS = 8_000_000_000L;
    private static final Incarnation NO_BOOT = new Incarnation(0, 0);

    final NodeId member;
    private final String prefix;
    private Incarnation boot = NO_BOOT;
    private long version;
    private final Map<String, WatchedRecord> records = new HashMap<>();
    /** Whether it has told all that it knows, and tells of each change. */
    private boolean current;

    private boolean unreachable;
    private @Nullable Moment askAt;
    private long pauseNanos = FIRST_PAUSE_NANOS;

    MemberView(NodeId member, String prefix, Moment now) {
        this.member = member;
        this.prefix = prefix;
        this.askAt = now;
    }

    boolean isCurrent() {
        return current;
    }

    /** What it has a live record of. */
    Set<String> resources() {
        return records.keySet();
    }

    @Nullable
    WatchedRecord record(String resource) {
        return records.get(resource);
    }

    /** When the member is to be asked; null: it need not be. */
    @Nullable
    Moment askAt() {
        return unreachable ? null : askAt;
    }

    /** The question that is due; null: none is. An answer that is lost is asked for again, after longer and longer pauses. */
    @Nullable
    Watch ask(Moment now) {
        Moment at = askAt();
        if (at == null || now.isBefore(at)) {
            return null;
        }
        askAt = now.plusNanos(pauseNanos);
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        return new Watch(prefix, boot, version, true);
    }

    /** The member can be reached again: what it has said meanwhile was lost, and it has forgotten who watches. */
    void reachable(Moment now) {
        unreachable = false;
        askSoon(now);
    }

    void unreachable() {
        unreachable = true;
        current = false;
    }

    private void askSoon(Moment now) {
        current = false;
        askAt = now;
        pauseNanos = FIRST_PAUSE_NANOS;
    }

    /**
     * Takes what the member has told.
     *
     * @param touched the resources that may have changed are added to it
     * @return the confirmation; null: none is due
     */
    @Nullable
    Watch hear(Changes told, Collection<String> touched) {
        if (told.reset()) {
            touched.addAll(records.keySet());
            records.clear();
            boot = told.boot();
            version = 0;
            current = false;
        }
        if (!told.boot().equals(boot) || told.from() != version) {
            return new Watch(prefix, boot, version, false); // the member goes on from there
        }
        boolean confirms = told.to() != version || told.reset();
        version = told.to();
        for (Change change : told.changes()) {
            take(change);
            touched.add(change.resource());
        }
        if (told.isLast() && !unreachable) {
            current = true;
            askAt = null;
            pauseNanos = FIRST_PAUSE_NANOS;
        }
        return confirms ? new Watch(prefix, boot, version, false) : null;
    }

    private void take(Change change) {
        WatchedRecord record = change.record();
        if (record == null) {
            records.remove(change.resource());
        } else {
            records.put(change.resource(), record);
        }
    }
}
