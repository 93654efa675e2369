package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for incarnations that many slots name, each with its node: counted, so that the number of one that no slot names any more is
 * used again. As many as there are in use, however many there have been. A node pays for its own.
 */
final class Incarnations {

    /** The number of none. */
    static final int NONE = 0;

    /** What one takes at most. */
    static final int BYTES_OF_ONE = 160;

    private static final int FIRST = 4;

    /**
     * @param incarnation null where only the node is known: of a fence, that is, the promise of a counter that is no incarnation's
     * @param node null where only the incarnation is known
     */
    private record Key(
            @Nullable Incarnation incarnation, @Nullable NodeId node) {}

    private static final class Entry {
        final Key key;
        final int number;
        final Share.@Nullable Account account;
        int uses;

        Entry(Key key, int number, Share.@Nullable Account account) {
            this.key = key;
            this.number = number;
            this.account = account;
        }
    }

    private final Share share;

    private Map<Key, Entry> numbers = new HashMap<>();
    /** The largest size of the map since it was made: a map that has grown does not shrink. */
    private int mostNumbers;

    private @Nullable Entry[] entries = new @Nullable Entry[FIRST];
    /** Of the numbers, each one less. */
    private final IndexAllocator places = new IndexAllocator();

    Incarnations(Share share) {
        this.share = share;
    }

    @Nullable
    Incarnation of(int number) {
        return number == NONE ? null : entry(number).key.incarnation;
    }

    @Nullable
    NodeId nodeOf(int number) {
        return number == NONE ? null : entry(number).key.node;
    }

    /** The node's account; null: of none. */
    Share.@Nullable Account accountOf(int number) {
        return number == NONE ? null : entry(number).account;
    }

    /** The number to keep instead of the one that was kept. */
    int change(int before, @Nullable Incarnation now, @Nullable NodeId node) {
        if (Objects.equals(of(before), now) && Objects.equals(nodeOf(before), node)) {
            return before;
        }
        int number = now == null && node == null ? NONE : use(new Key(now, node));
        if (before != NONE) {
            release(entry(before));
        }
        return number;
    }

    /** What it takes to name that one more. */
    int costOf(@Nullable Incarnation incarnation, NodeId node) {
        return numbers.containsKey(new Key(incarnation, node)) ? 0 : BYTES_OF_ONE;
    }

    private Entry entry(int number) {
        return Objects.requireNonNull(entries[number]);
    }

    private int use(Key key) {
        Entry entry = numbers.get(key);
        if (entry == null) {
            Share.Account account = key.node == null ? null : share.account(key.node);
            share.take(account, BYTES_OF_ONE);
            entry = new Entry(key, places.take() + 1, account);
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
            share.giveBack(entry.account, BYTES_OF_ONE);
            shrink();
        }
    }

    /** Each time that they are much fewer, so that it costs each of them little. */
    private void shrink() {
        if (mostNumbers > IndexAllocator.PAGE && numbers.size() < mostNumbers / 4) {
            numbers = new HashMap<>(numbers);
            mostNumbers = numbers.size();
        }
        int end = places.end() + 1;
        if (entries.length > IndexAllocator.PAGE && end < entries.length / 4) {
            entries = Arrays.copyOf(entries, 2 * end);
        }
    }
}
