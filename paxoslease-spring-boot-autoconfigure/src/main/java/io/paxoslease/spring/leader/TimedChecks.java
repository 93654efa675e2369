package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the checks of one health group, each within a time limit. A check that exceeds the limit is interrupted, its answer is dropped, and
 * the next check runs on another thread. While three checks have not ended, no other begins. Used by one thread at a time. Not made for
 * applications.
 */
public final class TimedChecks {

    static final int MOST_RUNNING = 3;

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    /** Longer than the time between two checks, so that one thread makes all checks while none hangs. */
    private static final long KEEP_ALIVE_SECONDS = 30;

    private final String group;
    private final BooleanSupplier check;
    private final Duration limit;
    private final ThreadPoolExecutor threads;
    private final AtomicInteger running = new AtomicInteger();
    /** How many checks at a time hung, as far as that has been logged since a check ended in time. */
    private int warned;

    /**
     * @param name of the threads
     * @param limit for each check
     */
    public TimedChecks(String name, String group, BooleanSupplier check, Duration limit) {
        this.group = Printable.name(group);
        this.check = check;
        this.limit = limit;
        this.threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "paxoslease-health-check-" + name);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * Makes a check, and waits until it ends or its time is over.
     *
     * @return whether the group is up; false if the check hangs, or too many do
     */
    public boolean isUp() throws ExecutionException, InterruptedException {
        if (running.get() >= MOST_RUNNING) {
            return false;
        }
        Check begun = begin();
        try {
            boolean up = begun.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            warned = 0;
            return up;
        } catch (TimeoutException e) {
            begun.showPlaceIn(e);
            warn(e);
            return false;
        } finally {
            begun.cancel(true);
        }
    }

    private Check begin() {
        Check begun = new Check();
        running.incrementAndGet();
        try {
            threads.execute(begun);
            return begun;
        } catch (RuntimeException | Error noThread) {
            begun.ended();
            throw noThread;
        }
    }

    private void warn(TimeoutException place) {
        int hanging = running.get();
        if (warned == 0) {
            log.warn(
                    "A check of the health group '{}' has not ended within {} ms: it is interrupted, and counts as down. The stack trace shows where it is",
                    group,
                    limit.toMillis(),
                    place);
        }
        if (warned < MOST_RUNNING && hanging >= MOST_RUNNING) {
            log.warn(
                    "{} checks of the health group '{}' hang and ignore the interrupt: the group counts as down, and is not checked, until one of them ends",
                    hanging,
                    group);
        }
        warned = Math.max(warned, Math.max(1, hanging));
    }

    /**
     * A task for a timer, which no failure ends: what one run had no memory for is done by the next.
     *
     * @param onFailure logs it; may fail as well
     */
    public static Runnable repeated(Runnable task, Consumer<Throwable> onFailure) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error failure) {
                try {
                    onFailure.accept(failure);
                } catch (RuntimeException | Error unlogged) {
                    return; // there is no memory for that either
                }
            }
        };
    }

    /** No check begins any more, and those that run are interrupted. */
    public void stop() {
        threads.shutdownNow();
    }

    private final class Check extends FutureTask<Boolean> {

        private final AtomicBoolean counted = new AtomicBoolean(true);
        private volatile @Nullable Thread thread;

        Check() {
            super(check::getAsBoolean);
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            try {
                super.run();
            } finally {
                ended();
            }
        }

        @Override
        protected void set(Boolean up) {
            ended(); // before the waiting thread can begin the next check
            super.set(up);
        }

        @Override
        protected void setException(Throwable failure) {
            ended();
            super.setException(failure);
        }

        void ended() {
            if (counted.compareAndSet(true, false)) {
                running.decrementAndGet();
            }
        }

        void showPlaceIn(Throwable late) {
            Thread checking = thread;
            if (checking != null) {
                late.setStackTrace(checking.getStackTrace());
            }
        }
    }
}
