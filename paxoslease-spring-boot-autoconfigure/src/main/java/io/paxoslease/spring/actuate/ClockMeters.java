package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import java.util.concurrent.TimeUnit;

/** The meters of wall clocks, on a node that runs Flease. */
final class ClockMeters {

    private ClockMeters() {}

    static void bind(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {
        Gauge.builder("paxoslease.clock.within.bound", node, each -> figures.get(each, ClockMeters::withinBound))
                .description(
                        "1 if this node's wall clock is within the bound, so that the node takes part; otherwise 0")
                .tags(tags)
                .register(registry);
        FleaseOptions flease = (FleaseOptions) node.options().algorithm();
        TimeGauge.builder("paxoslease.clock.bound", flease, TimeUnit.NANOSECONDS, each -> each.clockBound()
                        .toNanos())
                .description("Largest allowed difference between the wall clocks of two nodes")
                .strongReference(true)
                .tags(tags)
                .register(registry);
    }

    private static double withinBound(NodeStatus status) {
        NodeStatus.Quarantine quarantine = status.quarantine();
        boolean out = quarantine != null && quarantine.reason() == NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS;
        return out ? 0 : 1;
    }
}
