package io.paxoslease.rivals.workloads;

import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Mutex;
import java.util.List;
import java.util.Map;

/** Threads lock and unlock a key each in a closed loop. */
public final class OwnKeys {

    private static final int THREADS = 16;

    private OwnKeys() {}

    /** Runs for the two times, in milliseconds, and measures in the second. */
    public static Map<String, Double> run(Client client, long warmUpMillis, long millis) throws Exception {
        Crew.run(THREADS, warmUpMillis, (index, end) -> pairs(client.mutex("own-" + index), end));
        List<Long> pairs = Crew.run(THREADS, millis, (index, end) -> pairs(client.mutex("own-" + index), end));
        long sum = pairs.stream().mapToLong(Long::longValue).sum();
        return Map.of(
                "pairs-per-s",
                sum * 1000.0 / millis,
                "jain-threads",
                Statistics.jain(pairs.stream().mapToLong(Long::longValue).toArray()));
    }

    private static long pairs(Mutex mutex, long end) throws Exception {
        long count = 0;
        while (System.nanoTime() - end < 0) {
            mutex.lock();
            mutex.unlock();
            count++;
        }
        return count;
    }
}
