package io.paxoslease.simulation;

import java.util.Arrays;

/** What is due when, in real simulated nanoseconds; of equal times, in the order of entry. Also the real time itself. */
final class Agenda {

    private static final int FIRST_SIZE = 256;
    private static final int TOO_MANY_AT_ONCE = 100_000;

    private long[] times = new long[FIRST_SIZE];
    private long[] sequences = new long[FIRST_SIZE];
    private Runnable[] actions = new Runnable[FIRST_SIZE];
    private int size;
    private long sequence;
    private long now;
    private int atOnce;

    long now() {
        return now;
    }

    void after(long delay, Runnable action) {
        at(now + delay, action);
    }

    void at(long time, Runnable action) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            sequences = Arrays.copyOf(sequences, 2 * size);
            actions = Arrays.copyOf(actions, 2 * size);
        }
        long mine = sequence++;
        int i = size++;
        while (i > 0) {
            int parent = (i - 1) >>> 1;
            if (times[parent] <= time) {
                break;
            }
            move(parent, i);
            i = parent;
        }
        put(i, time, mine, action);
    }

    /** Runs what is due up to the end; actions may call this again, so that time passes in the middle of them. */
    void runUntil(long end) {
        while (size > 0 && times[0] <= end) {
            runNext();
        }
        now = Math.max(now, end);
    }

    private void runNext() {
        atOnce = times[0] > now ? 0 : atOnce + 1;
        if (atOnce > TOO_MANY_AT_ONCE) {
            throw new HistoryChecker.Violation("time stands still at " + now);
        }
        now = Math.max(now, times[0]);
        Runnable action = actions[0];
        int last = --size;
        long time = times[last];
        long mine = sequences[last];
        Runnable moved = actions[last];
        int i = 0;
        int child = 1;
        while (child < last) {
            if (child + 1 < last && isBefore(child + 1, times[child], sequences[child])) {
                child++;
            }
            if (!isBefore(child, time, mine)) {
                break;
            }
            move(child, i);
            i = child;
            child = 2 * i + 1;
        }
        put(i, time, mine, moved);
        action.run();
        HistoryChecker.Violation.rethrow();
    }

    private boolean isBefore(int i, long time, long mine) {
        return times[i] < time || (times[i] == time && sequences[i] < mine);
    }

    private void move(int from, int to) {
        put(to, times[from], sequences[from], actions[from]);
    }

    private void put(int i, long time, long mine, Runnable action) {
        times[i] = time;
        sequences[i] = mine;
        actions[i] = action;
    }
}
