package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.storage.StoreStatus;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** The meters of the store, on a client of shared storage. */
final class StoreMeters {

    private StoreMeters() {}

    static void bind(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {
        bindAble(node, figures, registry, tags);
        bindMissing(node, figures, registry, tags);
        bindTimes(node, figures, registry, tags);
        FunctionCounter.builder(
                        "paxoslease.store.conflicts", node, each -> store(each, figures, StoreStatus::conflicts))
                .description("Detections of a live client that has this node's id or is configured differently")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("paxoslease.store.near.accesses", node, each -> store(each, figures, StoreStatus::near))
                .description("Accesses to the store that took more than half of the access bound")
                .baseUnit("accesses")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("paxoslease.store.slow.accesses", node, each -> store(each, figures, StoreStatus::slow))
                .description("Accesses to the store that took as long as the access bound, or longer")
                .baseUnit("accesses")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder(
                        "paxoslease.store.failed.accesses", node, each -> store(each, figures, StoreStatus::failed))
                .description("Accesses to the store that failed")
                .baseUnit("accesses")
                .tags(tags)
                .register(registry);
    }

    private static void bindAble(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {
        Gauge.builder(
                        "paxoslease.store.answering",
                        node,
                        each -> store(each, figures, store -> store.trouble() == null ? 1 : 0))
                .description("Whether the latest access to the store was answered in time: 1 or 0")
                .tags(tags)
                .register(registry);
    }

    private static void bindMissing(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {
        Gauge.builder(
                        "paxoslease.store.missing",
                        node,
                        each -> store(each, figures, store -> store.missing().size()))
                .description("Of several stores, those that fail or hang at present and are left out")
                .baseUnit("stores")
                .tags(tags)
                .register(registry);
    }

    private static void bindTimes(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {
        TimeGauge.builder(
                        "paxoslease.store.access.max",
                        node,
                        TimeUnit.NANOSECONDS,
                        each -> store(each, figures, store -> store.max().toNanos()))
                .description("The longest of the latest few hundred accesses to the store")
                .tags(tags)
                .register(registry);
        TimeGauge.builder(
                        "paxoslease.store.access.bound",
                        node,
                        TimeUnit.NANOSECONDS,
                        each -> store(
                                each, figures, store -> store.accessBound().toNanos()))
                .description("The access bound: every access to the store must take less")
                .tags(tags)
                .register(registry);
    }

    private static double store(NodeMonitor node, StatusFigures figures, ToDoubleFunction<StoreStatus> value) {
        return figures.get(node, status -> {
            StoreStatus store = (StoreStatus) status.algorithm();
            return store == null ? Double.NaN : value.applyAsDouble(store);
        });
    }
}
