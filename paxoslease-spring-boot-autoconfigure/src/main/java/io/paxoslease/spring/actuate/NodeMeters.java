package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.paxoslease.monitor.NodeMonitor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Registers meters of one node, which refer to the node weakly: a registry may outlive it. So functions must not refer to it either. */
record NodeMeters(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {

    NodeMeters with(String key, String value) {
        return new NodeMeters(node, figures, registry, tags.and(key, value));
    }

    void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<NodeMonitor> value) {
        Gauge.builder(name, node, value)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    void time(String name, String description, ToDoubleFunction<NodeMonitor> nanos) {
        TimeGauge.builder(name, node, TimeUnit.NANOSECONDS, nanos)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    void count(String name, @Nullable String unit, String description, ToDoubleFunction<NodeMonitor> value) {
        FunctionCounter.builder(name, node, value)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }
}
