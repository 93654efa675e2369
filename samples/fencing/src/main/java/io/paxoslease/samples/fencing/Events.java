package io.paxoslease.samples.fencing;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What the instances have reported, in the order in which it came. Thread-safe. */
final class Events {

    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final List<Event> events = new ArrayList<>();
    private String ended = "";

    /** A report and the instance that it came from. */
    record Event(Instance instance, Report report) {

        boolean is(Report.Kind kind) {
            return report.kind() == kind;
        }
    }

    synchronized void add(Event event) {
        events.add(event);
        notifyAll();
    }

    /** An instance has ended, which is not part of the story. */
    synchronized void ended(String why) {
        ended = why;
        notifyAll();
    }

    /**
     * Waits for the first one of that kind, those of the past included.
     *
     * @throws IllegalStateException when it does not come
     */
    synchronized Event await(String what, Predicate<Event> kind) throws InterruptedException {
        long start = System.nanoTime();
        for (int i = 0; ; i++) {
            while (i >= events.size()) {
                long left = PATIENCE_NANOS - (System.nanoTime() - start);
                if (!ended.isEmpty() || left <= 0) {
                    throw new IllegalStateException("Waited for " + what + " in vain. " + ended);
                }
                wait(left / 1_000_000 + 1);
            }
            if (kind.test(events.get(i))) {
                return events.get(i);
            }
        }
    }
}
