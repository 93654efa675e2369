package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the container when a stop that may wait has come to its end, without holding up the other beans' stops. */
final class BackgroundStop {

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private BackgroundStop() {}

    private static boolean isInGuardedCall() {
        try {
            return Leadership.current() != null;
        } catch (IllegalStateException inNone) {
            return false;
        }
    }

    static void start(String name, Runnable stop, Runnable callback) {
        Runnable task = () -> {
            try {
                stop.run();
            } finally {
                callback.run();
            }
        };
        if (isInGuardedCall()) {
            task.run(); // which is neither interrupted nor waited for by a stop that its own thread makes
            return;
        }
        start(new Thread(task, "paxoslease-stop-" + name));
    }

    /** A process that cannot create threads must be able to stop all the same. */
    static void start(Thread stopping) {
        try {
            stopping.start();
        } catch (Error noThread) {
            log.warn("No thread for {}: it holds up the stops of other beans", stopping.getName(), noThread);
            ((Runnable) stopping).run(); // on this thread
        }
    }
}
