package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for incarnations that many slots name, each with the node that it owns leases for: counted, so that the number of one
 * that no slot names any more is used again. As many as there are in use, however many there have been.
 */
final class Incarnations {

    /** The number of none. */
    static final int NONE = 0;

    private static final int FIRST = 4;

    /** @param node null where only the incarnation is known: that of a promise */
    private record Key(Incarnation incarnation, @Nullable NodeId node) {}

    private static final class Entry {
        final Key key;
        final int number;
        int uses;

        Entry(Key key, int number) {
            this.key = key;
            this.number = number;
        }
    }

    private Map<Key, Entry> numbers = new HashMap<>();
    /** The largest size of the map since it was made: a map that has grown does not shrink. */
    private int mostNumbers;

    private @Nullable Entry[] entries = new @Nullable Entry[FIRST];
    /** Of the numbers, each one less. */
    private final Places places = new Places();

    @Nullable
    Incarnation of(int number) {
        return number == NONE ? null : entry(number).key.incarnation;
    }

    @Nullable
    NodeId nodeOf(int number) {
        return number == NONE ? null : entry(number).key.node;
    }

    /** The number to keep instead of the one that was kept. */
    int change(int before, @Nullable Incarnation now) {
        return change(before, now, null);
    }

    /** The same for an owner. */
    int change(int before, @Nullable Incarnation now, @Nullable NodeId node) {
        if (Objects.equals(of(before), now) && Objects.equals(nodeOf(before), node)) {
            return before;
        }
        int number = now == null ? NONE : use(new Key(now, node));
        if (before != NONE) {
            release(entry(before));
        }
        return number;
    }

    /** How many slots name that owner, those included whose records have expired and are remembered yet. */
    int uses(Incarnation incarnation, NodeId node) {
        Entry entry = numbers.get(new Key(incarnation, node));
        return entry == null ? 0 : entry.uses;
    }

    private Entry entry(int number) {
        return Objects.requireNonNull(entries[number]);
    }

    private int use(Key key) {
        Entry entry = numbers.get(key);
        if (entry == null) {
            entry = new Entry(key, places.take() + 1);
            numbers.put(key, entry);
            mostNumbers = Math.max(mostNumbers, numbers.size());
            if (entry.number >= entries.length) {
                entries = Arrays.copyOf(entries, 2 * entries.length);
            }
            entries[entry.number] = entry;
        }
        entry.uses++;
        return entry.number;
    }

    private void release(Entry entry) {
        if (--entry.uses == 0) {
            entries[entry.number] = null;
            numbers.remove(entry.key);
            places.giveBack(entry.number - 1);
            shrink();
        }
    }

    /** Each time that they are much fewer, so that it costs each of them little. */
    private void shrink() {
        if (mostNumbers > Places.PAGE && numbers.size() < mostNumbers / 4) {
            numbers = new HashMap<>(numbers);
            mostNumbers = numbers.size();
        }
        int end = places.end() + 1;
        if (entries.length > Places.PAGE && end < entries.length / 4) {
            entries = Arrays.copyOf(entries, 2 * end);
        }
    }
}
