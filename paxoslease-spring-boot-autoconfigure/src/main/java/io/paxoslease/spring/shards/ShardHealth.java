package io.paxoslease.spring.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.leader.HealthGroups;
import io.paxoslease.spring.leader.TimedChecks;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Tells a group of shards the state of the health group that it requires, every two seconds. Starts the group when the health group is up for the first
 * time. A check that hangs counts as down.
 */
final class ShardHealth {

    private static final Logger log = LoggerFactory.getLogger(ShardGroups.class);

    private static final Duration LONGEST_CHECK = Duration.ofSeconds(4);
    private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(2);

    private final ShardGroup group;
    private final String healthGroup;
    private final TimedChecks checks;
    private final Duration interval;
    private @Nullable ScheduledExecutorService thread;
    private boolean stopped;
    /** Only the checking thread uses these. */
    private boolean isStarted;

    private @Nullable Boolean wasUp;

    /** @throws RuntimeException if there is no such health group */
    static ShardHealth of(ShardGroup group, String healthGroup, ObjectProvider<HealthGroups> health) {
        BooleanSupplier check = HealthGroups.check(
                health, ShardSettings.property(group.name()) + ".requires-health-group", healthGroup);
        return new ShardHealth(group, healthGroup, check, DEFAULT_INTERVAL);
    }

    ShardHealth(ShardGroup group, String healthGroup, BooleanSupplier check, Duration interval) {
        this.group = group;
        this.healthGroup = Printable.name(healthGroup);
        this.checks = new TimedChecks("shards-" + group.name(), healthGroup, check, LONGEST_CHECK);
        this.interval = interval;
    }

    /** Begins to check; does nothing when called again. */
    synchronized void start() {
        if (thread == null && !stopped) {
            thread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread made = new Thread(task, "paxoslease-health-shards-" + group.name());
                made.setDaemon(true);
                return made;
            });
            Runnable checkOrRetry = TimedChecks.repeated(
                    this::check,
                    failure -> log.error("The health group '{}' is checked again soon", healthGroup, failure));
            thread.scheduleWithFixedDelay(checkOrRetry, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Checks no more, and starts the group no more. */
    synchronized void stop() {
        stopped = true;
        if (thread != null) {
            thread.shutdownNow();
        }
        checks.stop();
    }

    private void check() {
        boolean isUp = isUp();
        synchronized (this) {
            if (stopped) {
                return;
            }
            tellOfChange(isUp);
            group.health(isUp);
            if (isUp && !isStarted) {
                isStarted = start(group);
            }
        }
    }

    private void tellOfChange(boolean isUp) {
        boolean isFirst = wasUp == null;
        boolean isChanged = !Boolean.valueOf(isUp).equals(wasUp);
        String name = Printable.name(group.name());
        if (isChanged && isUp) {
            log.info("The health group '{}' is up: this instance may own shards of group '{}'", healthGroup, name);
        } else if (isChanged && isFirst) {
            log.info(
                    "The health group '{}' is not up yet: this instance owns no shards of group '{}' until it is",
                    healthGroup,
                    name);
        } else if (isChanged) {
            log.warn(
                    "The health group '{}' is not up: this instance gets no shards of group '{}' until it is, and gives up those that it owns"
                            + " after ten seconds. /actuator/health/{} says why",
                    healthGroup,
                    name,
                    healthGroup);
        }
        wasUp = isUp;
    }

    /** Otherwise the next check tries again. */
    private static boolean start(ShardGroup group) {
        try {
            group.start();
            return true;
        } catch (RuntimeException | Error refused) {
            log.error(
                    "The group '{}' cannot start. It tries again after its next health check",
                    Printable.name(group.name()),
                    refused);
            return false;
        }
    }

    private boolean isUp() {
        try {
            return checks.isUp();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | RuntimeException | Error failure) { // user code, or no thread for it
            log.debug(
                    "The health group that shards of '{}' require could not be checked",
                    Printable.name(group.name()),
                    failure);
            return false;
        }
    }
}
