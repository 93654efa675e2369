package io.paxoslease.clusters.witness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The wall clock of this instance alone: the machine's, and so much ahead as a file says. Thread-safe. */
public final class SettableClock {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static volatile long aheadMillis;

    private SettableClock() {}

    /** Takes the place of {@link System#currentTimeMillis()} where {@link ClockAgent} puts it. */
    public static long currentTimeMillis() {
        return System.currentTimeMillis() + aheadMillis;
    }

    /** @param file a line with the milliseconds; may come and change at any time */
    static void follow(Path file) {
        Thread reader = new Thread(
                () -> {
                    while (true) {
                        read(file);
                        LockSupport.parkNanos(PERIOD_NANOS);
                    }
                },
                "settable-clock");
        reader.setDaemon(true);
        read(file);
        reader.start();
    }

    private static void read(Path file) {
        try {
            String text = Files.exists(file) ? Files.readString(file) : "";
            if (text.endsWith("\n")) { // else it is being written
                aheadMillis = Long.parseLong(text.strip());
            }
        } catch (IOException e) {
            System.err.printf("The clock stays %d ms ahead: %s%n", aheadMillis, e);
        }
    }
}
