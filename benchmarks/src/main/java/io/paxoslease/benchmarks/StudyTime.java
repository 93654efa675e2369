package io.paxoslease.benchmarks;

import java.util.PriorityQueue;

/** Simulated time: what is due next happens next. Of two that are due at once, the one that was planned first. */
final class StudyTime {

    private record Planned(double at, long order, Runnable what) implements Comparable<Planned> {
        @Override
        public int compareTo(Planned other) {
            int byTime = Double.compare(at, other.at);
            return byTime == 0 ? Long.compare(order, other.order) : byTime;
        }
    }

    private final PriorityQueue<Planned> agenda = new PriorityQueue<>();
    private double now;
    private long planned;

    double now() {
        return now;
    }

    void after(double delay, Runnable what) {
        agenda.add(new Planned(now + delay, planned++, what));
    }

    /** Goes on to the next event; false when there is none. */
    boolean next() {
        Planned next = agenda.poll();
        if (next == null) {
            return false;
        }
        now = next.at;
        next.what.run();
        return true;
    }
}
