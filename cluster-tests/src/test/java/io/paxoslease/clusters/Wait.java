package io.paxoslease.clusters;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Patience with real machines, which may be busy. */
final class Wait {

    /** {@code -Dcluster.patience} in minutes, for a machine that is very busy. */
    private static final Duration PATIENCE = Duration.ofMinutes(Integer.getInteger("cluster.patience", 3));

    private static final Duration INTERVAL = Duration.ofMillis(50);

    private Wait() {}

    static void until(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(INTERVAL)
                .pollDelay(Duration.ZERO)
                .until(condition);
    }
}
