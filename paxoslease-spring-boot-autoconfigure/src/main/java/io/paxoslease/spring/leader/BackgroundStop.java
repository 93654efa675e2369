package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a stop that may wait on a thread of its own, so that it does not delay the stops of other beans. */
final class BackgroundStop {

    private static final Logger log = LoggerFactory.getLogger(BackgroundStop.class);

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
            task.run(); // a stop neither interrupts nor waits for a guarded call of its own thread
            return;
        }
        start(new Thread(task, "paxoslease-stop-" + name));
    }

    /** A process that cannot create threads must be able to stop all the same. */
    static void start(Thread stopping) {
        try {
            stopping.start();
        } catch (Error noThread) {
            log.warn(
                    "No thread for {}: it runs on the container's thread and delays the stops of other beans",
                    Printable.name(stopping.getName()),
                    noThread);
            ((Runnable) stopping).run(); // on this thread
        }
    }
}
