package io.paxoslease.consensus;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Threads that run one at a time: each stops before every step, and a chooser says whose step is next. The same choices give
 * the same run.
 */
final class Turns {

    /** Of so many, one: counted from zero. */
    interface Chooser {
        int choose(int options);
    }

    private static final class Worker {
        private final Semaphore turn = new Semaphore(0);
        private boolean done;
        private @Nullable Throwable failure;
    }

    private final Chooser chooser;
    private final List<Worker> workers = new ArrayList<>();
    private final Semaphore stopped = new Semaphore(0);
    private volatile @Nullable Worker current;
    private volatile boolean over;
    private long steps;

    Turns(Chooser chooser) {
        this.chooser = chooser;
    }

    /** What a thread does; its first step begins when it is chosen. */
    <T> void add(Callable<T> work) {
        Worker worker = new Worker();
        workers.add(worker);
        Thread thread = new Thread(
                () -> {
                    worker.turn.acquireUninterruptibly();
                    try {
                        if (!over) {
                            work.call();
                        }
                    } catch (Abandoned e) {
                        // The run is over.
                    } catch (Exception | Error e) {
                        worker.failure = e;
                    } finally {
                        worker.done = true;
                        stopped.release();
                    }
                },
                "test-turns");
        thread.setDaemon(true);
        thread.start();
    }

    private static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Stops the calling thread until it is chosen. */
    void step() {
        Worker worker = current;
        stopped.release();
        if (worker != null) {
            worker.turn.acquireUninterruptibly();
        }
        if (over) {
            throw new Abandoned();
        }
    }

    int choose(int options) {
        return options == 1 ? 0 : chooser.choose(options);
    }

    /** How many steps have been taken: the time. */
    long now() {
        return steps;
    }

    /**
     * Lets them run until all are done.
     *
     * @param dead so many of the first ones may be left alone for ever, once so many steps have been taken
     * @return false: not within that many steps
     */
    boolean run(long limit, int dead, long deadFrom) {
        while (true) {
            List<Worker> ready = new ArrayList<>();
            for (int i = steps < deadFrom ? 0 : dead; i < workers.size(); i++) {
                if (!workers.get(i).done) {
                    ready.add(workers.get(i));
                }
            }
            if (ready.isEmpty() || steps >= limit) {
                abandon();
                return ready.isEmpty();
            }
            let(ready.get(choose(ready.size())));
            steps++;
        }
    }

    private void let(Worker worker) {
        current = worker;
        worker.turn.release();
        stopped.acquireUninterruptibly();
        if (worker.failure != null) {
            throw new AssertionError(worker.failure);
        }
    }

    private void abandon() {
        over = true;
        for (Worker worker : workers) {
            if (!worker.done) {
                let(worker);
            }
        }
    }
}
