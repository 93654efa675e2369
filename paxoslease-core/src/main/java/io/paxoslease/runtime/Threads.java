package io.paxoslease.runtime;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Names this library's threads. */
public final class Threads {

    private Threads() {}

    /** Daemon threads of that name; a number follows from the second on. */
    public static ThreadFactory daemon(String name) {
        AtomicInteger made = new AtomicInteger();
        return task -> {
            int n = made.incrementAndGet();
            Thread thread = new Thread(task, n == 1 ? name : name + "-" + n);
            thread.setDaemon(true);
            return thread;
        };
    }
}
