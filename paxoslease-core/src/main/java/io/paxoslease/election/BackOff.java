package io.paxoslease.election;

/** How long an election waits after failures in a row: two seconds, doubled after each further one, thirty at most. Of one thread. */
final class BackOff {

    static final long FIRST_MILLIS = 1_000;

    private static final long LONGEST_MILLIS = 30_000;
    private static final int MAX_DOUBLINGS = 5;

    private int failures;

    void failed() {
        failures++;
    }

    void succeeded() {
        failures = 0;
    }

    long millis() {
        return Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(failures, MAX_DOUBLINGS));
    }
}
