package io.paxoslease.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Numbers for incarnations that many slots name: counted, so that the number of one that nobody names any more is used again. */
final class Incarnations {

    /** The number of none. */
    static final int NONE = 0;

    private static final class Entry {
        final Incarnation incarnation;
        final int number;
        int uses;

        Entry(Incarnation incarnation, int number) {
            this.incarnation = incarnation;
            this.number = number;
        }
    }

    private final Map<Incarnation, Entry> numbers = new HashMap<>();
    private final List<@Nullable Entry> entries = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();

    Incarnations() {
        entries.add(null);
    }

    @Nullable
    Incarnation of(int number) {
        return number == NONE ? null : Objects.requireNonNull(entries.get(number)).incarnation;
    }

    /** The number to keep instead of the one that was kept. */
    int change(int before, @Nullable Incarnation now) {
        if (Objects.equals(of(before), now)) {
            return before;
        }
        int number = now == null ? NONE : use(now);
        release(before);
        return number;
    }

    private int use(Incarnation incarnation) {
        Entry entry = numbers.get(incarnation);
        if (entry == null) {
            boolean reused = !free.isEmpty();
            entry = new Entry(incarnation, reused ? free.remove(free.size() - 1) : entries.size());
            numbers.put(incarnation, entry);
            if (reused) {
                entries.set(entry.number, entry);
            } else {
                entries.add(entry);
            }
        }
        entry.uses++;
        return entry.number;
    }

    private void release(int number) {
        Entry entry = entries.get(number);
        if (entry != null && --entry.uses == 0) {
            entries.set(number, null);
            numbers.remove(entry.incarnation);
            free.add(number);
        }
    }
}
