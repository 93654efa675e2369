package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.leader.RoleContest.Obstacle;
import java.time.Duration;
import java.util.concurrent.Executor;
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
 * <p>Checks run on one thread, and decisions on another: a check that hangs is one that is not up.
 */
final class HealthWatch {

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private static final int CHECKS_PER_TIMEOUT = 5;
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(10);
    private static final int THREADS = 2;

    private final LeaderRole role;
    private final RequiredHealth required;
    private final BooleanSupplier check;
    private final Duration stopTimeout;
    private final LongSupplier nanoTime;

    /** When the group was up last; read and written by both threads. */
    private volatile long upAt;

    private volatile boolean everUp;
    /** Held while an obstacle is removed: not after the stop. */
    private final Object ending = new Object();

    private boolean stopped;
    /** Those that check and decide, between a start and a stop. */
    private @Nullable ScheduledThreadPoolExecutor threads;

    /** Only the deciding thread uses it. */
    private boolean allowed;

    /** The role is not contested until the group has been up once. */
    HealthWatch(
            LeaderRole role,
            RequiredHealth required,
            BooleanSupplier check,
            Duration stopTimeout,
            LongSupplier nanoTime) {
        this.role = role;
        this.required = required;
        this.check = check;
        this.stopTimeout = stopTimeout;
        this.nanoTime = nanoTime;
        role.contest().add(Obstacle.HEALTH_GROUP_DOWN, Duration.ZERO);
    }

    /** Begins to check. Called once, and never at the same time as {@link #stop}. */
    void start() {
        ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new Thread(task, "paxoslease-health-" + role);
            thread.setDaemon(true);
            return thread;
        });
        long interval =
                Math.min(required.timeout().dividedBy(CHECKS_PER_TIMEOUT).toNanos(), LONGEST_INTERVAL.toNanos());
        threads = started;
        started.scheduleWithFixedDelay(() -> check(started), 0, interval, TimeUnit.NANOSECONDS);
        started.scheduleWithFixedDelay(this::decide, interval, interval, TimeUnit.NANOSECONDS);
    }

    /** Checks no more. The role's runner may start again before another watch does: until then, the role is not contested. */
    void stop() {
        if (threads != null) {
            threads.shutdownNow();
        }
        synchronized (ending) {
            stopped = true;
            role.contest().addBeforeStart(Obstacle.HEALTH_GROUP_DOWN);
        }
    }

    void check(Executor deciding) {
        long asked = nanoTime.getAsLong();
        boolean up;
        try {
            up = check.getAsBoolean();
        } catch (Exception | Error failure) { // user code: the next check may succeed
            log.debug("The health group '{}' could not be checked", Printable.name(required.group()), failure);
            up = false;
        }
        if (up) {
            upAt = asked;
            boolean isFirst = !everUp;
            everUp = true;
            if (isFirst) {
                deciding.execute(
                        this::decide); // the application has just started: it does not wait for the next decision
            }
        }
    }

    /** A check that answers late counts from when it began. */
    synchronized void decide() {
        boolean up = everUp && nanoTime.getAsLong() - upAt < required.timeout().toNanos();
        if (up == allowed) {
            return;
        }
        allowed = up;
        if (up) {
            contest();
            return;
        }
        log.warn(
                "The health group '{}' has not been up for {} ms: this node does not contest the role '{}' until it is up again. /actuator/health/{} says why",
                Printable.name(required.group()),
                required.timeout().toMillis(),
                role,
                Printable.name(required.group()));
        if (!role.contest().add(Obstacle.HEALTH_GROUP_DOWN, stopTimeout)) {
            role.warnOfLateEnd(stopTimeout);
        }
    }

    private void contest() {
        synchronized (ending) {
            if (!stopped) {
                log.info(
                        "The health group '{}' is up: this node contests the role '{}'",
                        Printable.name(required.group()),
                        role);
                role.contest().remove(Obstacle.HEALTH_GROUP_DOWN);
            }
        }
    }
}
