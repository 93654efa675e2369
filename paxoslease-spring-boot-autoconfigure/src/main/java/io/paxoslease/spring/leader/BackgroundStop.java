package io.paxoslease.spring.leader;

import io.paxoslease.Leadership;

/** Answers the container when a stop that may wait has come to its end, without holding up the other beans' stops. */
final class BackgroundStop {

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
        new Thread(task, "paxoslease-stop-" + name).start();
    }
}
