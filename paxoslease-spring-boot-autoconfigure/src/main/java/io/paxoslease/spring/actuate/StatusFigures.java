package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the status of one node says, for meters. A node whose thread does not answer holds up a reader of all meters for one question, and not
 * for one each. Thread-safe.
 */
final class StatusFigures {

    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    private final LongSupplier nanoTime;
    /** Null while it answers. */
    private volatile @Nullable Long silentAt;

    StatusFigures(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Reads the figure of a node, as {@link #get} does. */
    ToDoubleFunction<NodeMonitor> of(ToDoubleFunction<NodeStatus> figure) {
        return node -> get(node, figure);
    }

    /** Asks the node, and waits; NaN if it does not answer, or did not a moment ago. */
    double get(NodeMonitor node, ToDoubleFunction<NodeStatus> figure) {
        Long silent = silentAt;
        if (silent != null && nanoTime.getAsLong() - silent < PAUSE_NANOS) {
            return Double.NaN;
        }
        try {
            NodeStatus status = node.status();
            silentAt = null;
            return figure.applyAsDouble(status);
        } catch (PaxosLeaseException nodeDoesNotAnswer) {
            if (!Thread.currentThread().isInterrupted()) {
                silentAt = nanoTime.getAsLong();
            }
            return Double.NaN;
        }
    }
}
