package io.paxoslease.shards;

import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.plan.GroupSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs of a group on this instance, one at a time: each from a start to the departure, and a new one after a fault, since a group without its
 * thread of control would neither work nor say so. Thread-safe.
 */
final class GroupRuns {

    private static final Logger log = LoggerFactory.getLogger(ShardNames.LOGGER);
    private static final Duration AFTER_FAULT = Duration.ofSeconds(5);
    private static final Duration AFTER_CONFLICT = Duration.ofSeconds(20);
    /** Instances that refuse each other do not all look again at the same time. */
    private static final Duration SPREAD_AFTER_CONFLICT = Duration.ofSeconds(20);

    private static final long RETRY_NANOS = 1_000_000_000;

    private final GroupPart part;
    private final GroupSettings settings;
    private final String revision;
    private @Nullable GroupRun run;
    /** The latest one, which may still be leaving after a stop; read by any thread. */
    private volatile @Nullable GroupRun latest;

    private boolean isHealthy = true;

    GroupRuns(GroupPart part, GroupSettings settings, String revision) {
        this.part = part;
        this.settings = settings;
        this.revision = revision;
    }

    private String group() {
        return settings.group();
    }

    /** The latest run, which may still be leaving; null before the first start. */
    @Nullable
    GroupRun latest() {
        return latest;
    }

    synchronized boolean isRunning() {
        return run != null;
    }

    private synchronized boolean isPresent(GroupRun ended) {
        return run == ended;
    }

    /** As {@link ShardGroup#start()}. */
    void start() {
        GroupRun started;
        synchronized (this) {
            if (run != null) {
                return;
            }
            part.node().groups().join(this, group(), this::giveUp, this::wake);
            try {
                started = newRun();
            } catch (RuntimeException | Error refused) {
                part.node().groups().leave(this, group());
                throw refused;
            }
            run = started;
        }
        begin(started);
    }

    private GroupRun newRun() {
        GroupRun before = latest;
        GroupRun made = new GroupRun(
                part, settings, revision, ThreadLocalRandom.current().nextInt(), before);
        latest = made;
        return made;
    }

    private void begin(GroupRun started) {
        CompletableFuture<?> unused = started.departed().whenComplete((nothing, fault) -> departed(started, fault));
        boolean isUp;
        synchronized (this) {
            isUp = isHealthy;
        }
        started.health(isUp);
        started.begin();
    }

    /** It begins again, unless it was told to leave. */
    private void departed(GroupRun ended, @Nullable Throwable fault) {
        String conflict = ended.conflict();
        Duration delay = fault == null ? afterConflict() : AFTER_FAULT;
        if (fault != null && !isPresent(ended)) {
            log.error(
                    "Group '{}' found a fault in itself while it was left. See the cause",
                    Printable.name(group()),
                    fault);
            return;
        } else if (fault != null) {
            log.error(
                    "Group '{}' found a fault in itself: this instance has given up its shards, and participates again after {} seconds."
                            + " See the cause",
                    Printable.name(group()),
                    delay.toSeconds(),
                    fault);
        } else if (conflict != null) {
            log.error("{}. It is looked at again after {} seconds", Printable.text(conflict), delay.toSeconds());
        } else {
            return;
        }
        try {
            part.thread().execute(() -> restart(ended, delay, conflict));
        } catch (RuntimeException | Error withoutThread) {
            restart(ended, delay, conflict);
        }
    }

    private static Duration afterConflict() {
        long spread = ThreadLocalRandom.current().nextLong(SPREAD_AFTER_CONFLICT.toMillis());
        return AFTER_CONFLICT.plusMillis(spread);
    }

    private void restart(GroupRun ended, Duration delay, @Nullable String conflict) {
        GroupRun started = null;
        while (started == null && isPresent(ended)) {
            try {
                started = replace(ended, delay, conflict);
            } catch (RuntimeException | Error withoutMemory) {
                log.error(
                        "Group '{}' cannot begin again: it is tried again in a second",
                        Printable.name(group()),
                        withoutMemory);
                Threads.park(RETRY_NANOS);
            }
        }
        if (started != null) {
            begin(started);
        }
    }

    private synchronized @Nullable GroupRun replace(GroupRun ended, Duration delay, @Nullable String conflict) {
        if (run != ended) {
            return null;
        }
        GroupRun made = newRun();
        made.delay(delay, conflict);
        run = made;
        return made;
    }

    /** As {@link ShardGroup#stop}. */
    boolean stop(Duration timeout) {
        GroupRun stopped;
        GroupRun leaving;
        synchronized (this) {
            stopped = run;
            leaving = latest;
            run = null;
            if (stopped != null) {
                part.node().groups().leave(this, group());
            }
        }
        if (stopped != null) {
            stopped.leave();
        }
        return leaving == null || (!ShardWork.isOf(part) && leaving.awaitDeparture(timeout));
    }

    void health(boolean isUp) {
        GroupRun present;
        synchronized (this) {
            isHealthy = isUp;
            present = run;
        }
        if (present != null) {
            present.health(isUp);
        }
    }

    private void wake() {
        GroupRun present = latest;
        if (present != null) {
            present.wake();
        }
    }

    private boolean giveUp(String resource) {
        GroupRun present = latest;
        int index = ShardNames.index(group(), settings.count(), resource);
        return present != null && index >= 0 && present.giveUp(index);
    }
}
