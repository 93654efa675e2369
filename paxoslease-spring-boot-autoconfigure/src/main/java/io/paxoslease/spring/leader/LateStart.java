package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops a bean whose start continues in the background and succeeds after the leadership has ended. Looks at the bean between leaderships,
 * until it has been stopped for some time. Thread-safe.
 */
final class LateStart {

    /** A start that takes longer than this after its leadership, or after another late start, is not noticed. */
    static final Duration QUIET = Duration.ofMinutes(10);

    /** The same, once the context has closed: it would be held, with a thread, in a process that goes on. */
    static final Duration QUIET_WHEN_CLOSED = Duration.ofSeconds(5);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final long KEEP_ALIVE_SECONDS = 5;

    private static final Logger log = LoggerFactory.getLogger(ManagedBean.class);

    private final BooleanSupplier stopIfRunning;
    private final ScheduledExecutorService scheduler;
    /** Whether the bean did not run when a start returned. */
    private boolean expected;
    /** Increases when a leadership begins or ends: looks of an earlier number end. */
    private int period;

    private Duration quiet = QUIET;

    /** @param stopIfRunning stops the bean if it runs while this node does not lead; whether it did */
    LateStart(BooleanSupplier stopIfRunning, ScheduledExecutorService scheduler) {
        this.stopIfRunning = stopIfRunning;
        this.scheduler = scheduler;
    }

    /** Has a thread only while tasks are scheduled, and some seconds more. */
    static ScheduledExecutorService scheduler(String name) {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "paxoslease-stop-" + Printable.name(name));
            thread.setDaemon(true);
            return thread;
        });
        scheduler.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
        scheduler.allowCoreThreadTimeOut(true);
        return scheduler;
    }

    /** A start has returned, or has thrown, and the bean does not run. */
    synchronized void expect() {
        expected = true;
    }

    /** Whether one may come: looks have not ended without one since. */
    synchronized boolean isExpected() {
        return expected;
    }

    synchronized void leadershipBegins() {
        period++;
    }

    synchronized void leadershipEnded() {
        period++;
        if (expected) {
            schedule(period, SHORTEST_PAUSE, quiet);
        }
    }

    synchronized void contextClosed() {
        quiet = QUIET_WHEN_CLOSED;
    }

    private void schedule(int of, Duration pause, Duration left) {
        scheduler.schedule(() -> look(of, pause, left.minus(pause)), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void look(int of, Duration pause, Duration left) {
        if (!isOver(of)) {
            boolean late = stopped();
            synchronized (this) {
                if (late) {
                    schedule(of, SHORTEST_PAUSE, quiet); // for another one
                } else if (left.compareTo(Duration.ZERO) > 0) {
                    schedule(of, longer(pause), left.compareTo(quiet) < 0 ? left : quiet);
                } else if (of == period) {
                    expected = false;
                }
            }
        }
    }

    private synchronized boolean isOver(int of) {
        return of != period;
    }

    private boolean stopped() {
        try {
            return stopIfRunning.getAsBoolean();
        } catch (Exception | Error failure) { // user code
            log.warn("Failed to look whether a bean has started late", failure);
            return false;
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }
}
