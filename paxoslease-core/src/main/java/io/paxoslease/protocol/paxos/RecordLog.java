package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timers;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchedRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The last change of each of an acceptor's records that can be watched, by version (section 10, V1). A record that has ended is remembered for a
 * while: those who know an older version are told of its end. Bounded: a new record has to fit before it is accepted, and a live one is never left out.
 */
final class RecordLog {

    /** How many records that have ended are remembered at most. */
    static final int MOST_ENDED = 8_192;

    /** What one takes in addition to its name and its note. */
    private static final int BYTES_OF_ONE = 320;
    /** How many changes are looked at for one page. */
    private static final int MOST_SEEN = 1_024;

    /**
     * Some changes.
     *
     * @param to the version after them
     * @param isLast whether nothing more has changed
     * @param seen how many changes were looked at, also of other prefixes
     */
    record Page(List<Change> changes, long to, boolean isLast, int seen) {}

    private static final class Entry extends Timed {
        final String resource;
        long version;
        /** Null: it has ended. */
        @Nullable
        WatchedRecord record;

        Entry(String resource) {
            this.resource = resource;
        }
    }

    private final Map<String, Entry> entries = new HashMap<>();
    private final TreeMap<Long, Entry> byVersion = new TreeMap<>();
    private final TreeMap<Long, Entry> ended = new TreeMap<>();
    private final Timers ends = new Timers();
    private final Share share;
    private final long mostOfEnded;
    private long bytesOfEnded;
    private long version;
    /** The highest version of an end that is forgotten. */
    private long forgotten;

    /**
     * @param share what live records may have, by owner
     * @param bytesOfEnds what those that have ended may have
     */
    RecordLog(Share share, long bytesOfEnds) {
        this.share = share;
        this.mostOfEnded = bytesOfEnds;
    }

    /** The same, which remembers nothing. */
    RecordLog emptied() {
        return new RecordLog(share.emptied(), mostOfEnded);
    }

    /** Versions are numbered from one on. */
    long version() {
        return version;
    }

    /** Whether all that has ended since that version is remembered. */
    boolean knowsAllSince(long known) {
        return known >= forgotten && known <= version;
    }

    /** What it may have. */
    Share share() {
        return share;
    }

    /** Whether a new record of that owner fits, without a note. */
    boolean hasRoom(NodeId owner, String resource) {
        Entry entry = entries.get(resource);
        return hasRoom(owner, bytes(resource, Note.NONE), entry == null ? null : entry.record, resource);
    }

    /**
     * Looks at a record that may have changed. A live record is kept in any case; its note only if there is room for it.
     *
     * @param slot null: there is no live record
     * @param note its note
     * @return whether it has changed
     */
    boolean look(String resource, @Nullable AcceptorSlot slot, String note) {
        Entry entry = entries.get(resource);
        WatchedRecord before = entry == null ? null : entry.record;
        WatchedRecord record = recordOf(slot, note);
        if (record != null && !note.isEmpty() && !hasRoom(record.node(), bytes(resource, note), before, resource)) {
            record = recordOf(slot, Note.NONE);
        }
        if (record != null && entry != null && before != null && before.tellsTheSame(record)) {
            ends.set(entry, endOf(slot));
            return false;
        }
        if (record == null && before == null) {
            return false;
        }
        Entry changed = entry == null ? new Entry(resource) : entry;
        entries.put(resource, changed);
        change(changed, record);
        ends.set(changed, record == null ? null : endOf(slot));
        return true;
    }

    private static @Nullable Moment endOf(@Nullable AcceptorSlot slot) {
        return slot == null ? null : slot.deadline();
    }

    private static @Nullable WatchedRecord recordOf(@Nullable AcceptorSlot slot, String note) {
        return slot == null || slot.owner == null || slot.ownerNode == null
                ? null
                : new WatchedRecord(slot.ownerNode, slot.owner, slot.counter, note);
    }

    private boolean hasRoom(NodeId owner, long bytes, @Nullable WatchedRecord before, String resource) {
        boolean isPaid = before != null && before.node().equals(owner);
        return share.hasRoom(owner, bytes - (before != null && isPaid ? bytes(resource, before.note()) : 0));
    }

    private static long bytes(String resource, String note) {
        return BYTES_OF_ONE + 2L * (resource.length() + note.length());
    }

    private void change(Entry entry, @Nullable WatchedRecord record) {
        byVersion.remove(entry.version);
        if (ended.remove(entry.version) != null) {
            bytesOfEnded -= bytes(entry.resource, Note.NONE);
        }
        if (entry.record != null) {
            share.giveBack(entry.record.node(), bytes(entry.resource, entry.record.note()));
        }
        entry.version = ++version;
        entry.record = record;
        byVersion.put(version, entry);
        if (record == null) {
            ended.put(version, entry);
            bytesOfEnded += bytes(entry.resource, Note.NONE);
            forgetEnded();
        } else {
            share.take(record.node(), bytes(entry.resource, record.note()));
        }
    }

    private void forgetEnded() {
        while (ended.size() > MOST_ENDED || bytesOfEnded > mostOfEnded) {
            Entry oldest = ended.pollFirstEntry().getValue();
            bytesOfEnded -= bytes(oldest.resource, Note.NONE);
            byVersion.remove(oldest.version);
            entries.remove(oldest.resource);
            forgotten = oldest.version;
        }
    }

    /** Hands over the resources whose records end by now unless they were renewed. */
    void pollDue(Moment now, Consumer<String> action) {
        for (Timed due = ends.poll(now); due != null; due = ends.poll(now)) {
            action.accept(((Entry) due).resource);
        }
    }

    /** When the next record ends, if it is not renewed; null: none does. */
    @Nullable
    Moment next() {
        return ends.next();
    }

    /**
     * What has changed since a version, from the oldest change on, as far as it fits into one message.
     *
     * @param endsSince ends up to that version are left out: who is told has never heard of the records
     */
    Page since(long from, long endsSince, String prefix) {
        List<Change> changes = new ArrayList<>();
        long to = from;
        int seen = 0;
        for (Entry entry : byVersion.tailMap(from, false).values()) {
            boolean isTold = entry.resource.startsWith(prefix) && (entry.record != null || entry.version > endsSince);
            if (seen == MOST_SEEN || (isTold && changes.size() == Changes.MOST)) {
                return new Page(changes, to, false, seen);
            }
            if (isTold) {
                changes.add(new Change(entry.resource, entry.record));
            }
            to = entry.version;
            seen++;
        }
        return new Page(changes, version, true, seen);
    }
}
