package io.paxoslease.rivals.workloads;

import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Mutex;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** One thread locks and unlocks one key in a closed loop. */
public final class Uncontended {

    private static final int DIGITS = 3;
    private static final double MICRO = 1_000;

    private Uncontended() {}

    /** Runs for the two times, in milliseconds, and measures in the second. */
    public static Map<String, Double> run(Client client, long warmUpMillis, long millis) throws Exception {
        Mutex mutex = client.mutex(client.remoteKey("uncontended"));
        loop(mutex, warmUpMillis);
        Histogram pairs = loop(mutex, millis);
        return Map.of(
                "p50-us", pairs.getValueAtPercentile(50) / MICRO,
                "p99-us", pairs.getValueAtPercentile(99) / MICRO,
                "pairs-per-s", pairs.getTotalCount() * 1000.0 / millis);
    }

    private static Histogram loop(Mutex mutex, long millis) throws Exception {
        Histogram pairs = new Histogram(DIGITS);
        long begin = System.nanoTime();
        long end = begin + millis * 1_000_000;
        while (begin - end < 0) {
            mutex.lock();
            mutex.unlock();
            long now = System.nanoTime();
            pairs.recordValue(now - begin);
            begin = now;
        }
        return pairs;
    }
}
