package io.paxoslease.rivals.workloads;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that begin together and do the same for a while. */
final class Crew {

    /** What one thread does until the given moment of the monotonic clock. */
    interface Task<T> {
        T run(int index, long end) throws Exception;
    }

    private Crew() {}

    /** What each thread answers. */
    static <T> List<T> run(int threads, long millis, Task<T> task) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int index = i;
                running.add(pool.submit(() -> {
                    start.await();
                    return task.run(index, System.nanoTime() + millis * 1_000_000);
                }));
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> each : running) {
                answers.add(each.get());
            }
            return answers;
        } finally {
            pool.shutdownNow();
        }
    }
}
