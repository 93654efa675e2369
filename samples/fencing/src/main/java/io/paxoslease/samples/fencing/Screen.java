package io.paxoslease.samples.fencing;

import io.paxoslease.samples.fencing.Events.Event;
import java.util.Locale;

/** Writes aligned lines: seconds since the start, the instance, what it does. Any thread. */
final class Screen {

    private final long start = System.nanoTime();
    private volatile boolean silent;

    /** What happens from now on is the end, and of no interest. */
    void silence() {
        silent = true;
    }

    void show(Event event) {
        Report report = event.report();
        String text =
                switch (report.kind()) {
                    case READY -> "up";
                    case LEADS -> "LEADS, fencing token " + report.token();
                    case ABOUT_TO_WRITE ->
                        "has checked that it leads, and is about to write invoice " + report.number();
                    case WRITTEN -> "invoice " + report.number();
                    case REJECTED ->
                        "invoice %d REJECTED: its token is %d, and %d was seen"
                                .formatted(report.number(), report.token(), report.latestToken());
                };
        line(event.instance().name(), text);
    }

    void line(String who, String text) {
        if (!silent) {
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.println(String.format(Locale.ROOT, "%7.1f s  %-2s  %s", seconds, who, text));
        }
    }
}
