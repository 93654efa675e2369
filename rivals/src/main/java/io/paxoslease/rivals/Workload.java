package io.paxoslease.rivals;

import java.util.Arrays;
import java.util.Locale;

/** What is measured; the names are those of the command line. */
public enum Workload {
    UNCONTENDED("One thread, one key", 1),
    OWN_KEYS("16 threads, each its own key", 1),
    CONTENDED("8 threads in two instances, one key", 2),
    FAIL_OVER("Fail-over", 2),
    IDLE("10,000 locks held and idle", 1),
    MEMORY("Memory of a held lock", 1),
    SESSIONS("Thousands of sessions", 0);

    private final String title;
    private final int clients;

    Workload(String title, int clients) {
        this.title = title;
        this.clients = clients;
    }

    /** Which times products run with. */
    public Tuning tuning() {
        return this == SESSIONS ? Tuning.CROWD : Tuning.DEFAULT;
    }

    /** Whether locks are held longer than a lease lasts. */
    public boolean holdsLong() {
        return this == IDLE || this == SESSIONS;
    }

    /** The heading. */
    public String title() {
        return title;
    }

    /** How many instances of the application use the locks; none where they are opened later. */
    public int clients() {
        return clients;
    }

    /** The word of the command line and of the result files. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The workload of that word.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Workload of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Which workload? '%s' is none".formatted(word)));
    }
}
