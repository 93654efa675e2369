package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.leader.RoleContest.Obstacle;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a role up when the health group that it requires has not been up for some time, and contests it again when the group is up.
 *
 * <p>One thread waits for checks, and another decides: a check that hangs is one that is not up.
 */
final class HealthWatch {

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private static final int CHECKS_PER_TIMEOUT = 5;
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(10);
    /** A check may take two fifths of the timeout: two slow checks in a row still end in time, and the second one counts. */
    private static final int PARTS_PER_CHECK = 2;

    private static final Duration LONGEST_CHECK = Duration.ofSeconds(30);
    private static final int THREADS = 2;

    private final LeaderRole role;
    private final String group;
    private final Duration timeout;
    private final TimedChecks checks;
    private final Duration stopTimeout;
    private final LongSupplier nanoTime;

    private final Runnable decideOrRetry;

    /** When the group was up last; read and written by both threads. */
    private volatile long upAt;

    private volatile boolean everUp;
    /** Held while the obstacle is added or removed: not after the stop, when another watch may do that. */
    private final Object ending = new Object();

    private boolean stopped;
    /** Those that check and decide, between a start and a stop. */
    private @Nullable ScheduledThreadPoolExecutor threads;

    /** Only the deciding thread uses these. */
    private boolean allowed;

    /** Whether the last decision was carried out. */
    private boolean settled = true;

    /** The role is not contested until the group has been up once. */
    HealthWatch(
            LeaderRole role,
            String group,
            Duration timeout,
            BooleanSupplier check,
            Duration stopTimeout,
            LongSupplier nanoTime) {
        this.role = role;
        this.group = Printable.name(group);
        this.timeout = timeout;
        this.checks = new TimedChecks(role.toString(), group, check, checkLimit(timeout));
        this.stopTimeout = stopTimeout;
        this.nanoTime = nanoTime;
        this.decideOrRetry = TimedChecks.repeated(
                this::decide,
                failure -> log.error(
                        "The health group '{}' decides about the role '{}' again soon", this.group, role, failure));
        role.contest().add(Obstacle.HEALTH_GROUP_DOWN);
        role.contest().giveUpUnhealthy(Duration.ZERO);
    }

    static Duration checkLimit(Duration timeout) {
        return shorter(timeout.multipliedBy(PARTS_PER_CHECK).dividedBy(CHECKS_PER_TIMEOUT), LONGEST_CHECK);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Begins to check. Called once, and never at the same time as {@link #stop}. */
    void start() {
        ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new Thread(task, "paxoslease-health-" + role);
            thread.setDaemon(true);
            return thread;
        });
        long interval =
                shorter(timeout.dividedBy(CHECKS_PER_TIMEOUT), LONGEST_INTERVAL).toNanos();
        threads = started;
        started.execute(() -> checkAgain(started, interval));
        started.scheduleWithFixedDelay(decideOrRetry, interval, interval, TimeUnit.NANOSECONDS);
    }

    /** Checks begin at that interval; one that takes longer is followed by the next at once. */
    void checkAgain(ScheduledExecutorService started, long interval) {
        long begun = nanoTime.getAsLong();
        try {
            check(started);
        } finally {
            if (!started.isShutdown()) {
                long taken = nanoTime.getAsLong() - begun;
                started.schedule(() -> checkAgain(started, interval), interval - taken, TimeUnit.NANOSECONDS);
            }
        }
    }

    /** Checks no more. The role's runner may start again before another watch does: until then, the role is not contested. */
    void stop() {
        if (threads != null) {
            threads.shutdownNow();
        }
        checks.stop();
        synchronized (ending) {
            stopped = true;
            role.contest().add(Obstacle.HEALTH_GROUP_DOWN);
        }
    }

    void check(Executor deciding) {
        long asked = nanoTime.getAsLong();
        if (isUp()) {
            upAt = asked;
            boolean isFirst = !everUp;
            everUp = true;
            if (isFirst) {
                deciding.execute(decideOrRetry); // the application has just started: it does not wait for the timer
            }
        }
    }

    private boolean isUp() {
        try {
            return checks.isUp();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        } catch (Exception | Error failure) { // user code, or no thread for it: the next check may succeed
            log.debug("The health group '{}' could not be checked", group, failure);
            return false;
        }
    }

    /** A check that answers late counts from when it began. */
    synchronized void decide() {
        boolean up = everUp && nanoTime.getAsLong() - upAt < timeout.toNanos();
        if (settled && up == allowed) {
            return;
        }
        settled = false;
        allowed = up;
        if (up) {
            contest();
        } else {
            giveUp();
        }
        settled = true;
    }

    private void giveUp() {
        log.warn(
                "The health group '{}' has not been up for {} ms: this node does not contest the role '{}' until it is up again. /actuator/health/{} says why",
                group,
                timeout.toMillis(),
                role,
                group);
        synchronized (ending) {
            if (stopped) {
                return;
            }
            role.contest().add(Obstacle.HEALTH_GROUP_DOWN);
        }
        if (!role.contest().giveUpUnhealthy(stopTimeout)) {
            role.warnOfLateEnd(stopTimeout);
        }
    }

    private void contest() {
        synchronized (ending) {
            if (!stopped) {
                log.info("The health group '{}' is up: this node contests the role '{}'", group, role);
                role.contest().remove(Obstacle.HEALTH_GROUP_DOWN);
            }
        }
    }
}
