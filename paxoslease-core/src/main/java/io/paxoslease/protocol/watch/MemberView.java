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

    private static final long PAUSE_NANOS = 1_000_000_000;
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
        return new Watch(prefix, boot, version, true);
    }

    /** The member can be reached again: what it has said in the meantime was lost, and it has forgotten this node. */
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
    }

    /**
     * Takes what the member has told.
     *
     * @param touched the resources that may have changed are added to it
     * @return the confirmation; null: none is due
     */
    @Nullable
    Watch hear(Changes told, Collection<String> touched, Moment now) {
        if (told.reset()) {
            touched.addAll(records.keySet());
            records.clear();
            boot = told.boot();
            version = 0;
            current = false;
        }
        if (!told.boot().equals(boot) || told.from() != version) {
            return new Watch(prefix, boot, version, false); // the member tells the rest from there
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
        } else if (!current) {
            askAt = now.plusNanos(PAUSE_NANOS); // more is on its way
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
