package io.paxoslease.spring.leader;

/** Answers the container when a stop that may wait has come to its end, without holding up the other beans' stops. */
final class BackgroundStop {

    private BackgroundStop() {}

    static void start(String name, Runnable stop, Runnable callback) {
        Runnable task = () -> {
            try {
                stop.run();
            } finally {
                callback.run();
            }
        };
        new Thread(task, "paxoslease-stop-" + name).start();
    }
}
