package io.paxoslease.samples.shards;

import java.util.Locale;

/** Writes aligned lines: seconds since the start, the instance, what it does. Any thread. */
final class Screen {

    private final long start = System.nanoTime();

    void line(String who, String text) {
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.println(String.format(Locale.ROOT, "%7.1f s  %-2s  %s", seconds, who, text));
    }
}
