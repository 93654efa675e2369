package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lifecycle beans that run while this node leads one role. Thread-safe. */
final class ManagedBeans {

    private static final Logger log = LoggerFactory.getLogger(ManagedBeans.class);

    private final String role;
    private final Duration stopTimeout;
    private final List<ManagedBean> beans = new CopyOnWriteArrayList<>();
    private volatile @Nullable Leadership granted;

    ManagedBeans(String role, Duration stopTimeout) {
        this.role = role;
        this.stopTimeout = stopTimeout;
    }

    /** Manages the bean from now on; if this node leads already, the bean is started here. */
    void add(ManagedBean bean) {
        beans.add(bean);
        Leadership leadership = granted;
        if (leadership != null) {
            try {
                bean.start(leadership);
            } catch (RuntimeException | Error failure) {
                log.error(
                        "{} did not start: this node resigns the leadership of '{}'",
                        bean,
                        Printable.name(role),
                        failure);
                leadership.resign();
            }
        }
    }

    /**
     * Starts the beans in the order of their phases, lowest first. If a start throws, the exception is thrown and no
     * further bean is started.
     */
    void start(Leadership leadership) {
        granted = leadership;
        beans.stream().sorted(Comparator.comparingInt(ManagedBean::phase)).forEach(bean -> bean.start(leadership));
    }

    /**
     * Stops the beans in the reverse order; those of one phase at the same time. Returns when all have stopped, or the
     * timeout is over.
     */
    void stop() {
        granted = null;
        long deadline = System.nanoTime() + stopTimeout.toNanos();
        beans.stream()
                .collect(Collectors.groupingBy(ManagedBean::phase, TreeMap::new, Collectors.toList()))
                .descendingMap()
                .values()
                .forEach(phase -> stop(phase, deadline));
    }

    private void stop(List<ManagedBean> phase, long deadline) {
        CompletableFuture<Void> all =
                CompletableFuture.allOf(phase.stream().map(ManagedBean::stop).toArray(CompletableFuture[]::new));
        try {
            all.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            log.warn(
                    "Some of {} are still running {} after the leadership of '{}' ended",
                    phase,
                    stopTimeout,
                    Printable.name(role));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("stops complete normally", e);
        }
    }

    /** Stops beans that a caller other than their role has started. */
    void stopUnlessLeading() {
        beans.forEach(ManagedBean::stopUnlessLeading);
    }

    void contextClosed() {
        beans.forEach(ManagedBean::contextClosed);
    }
}
