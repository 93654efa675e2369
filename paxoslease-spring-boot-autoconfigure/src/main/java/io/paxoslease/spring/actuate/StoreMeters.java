package io.paxoslease.spring.actuate;

import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.storage.StoreStatus;
import java.util.function.ToDoubleFunction;

/** The meters of the store, on a client of shared storage. */
final class StoreMeters {

    private StoreMeters() {}

    static void bind(NodeMeters meters) {
        StatusFigures figures = meters.figures();
        meters.gauge(
                "paxoslease.store.answering",
                null,
                "Whether the latest access to the store was answered in time: 1 or 0",
                store(figures, store -> store.trouble() == null ? 1 : 0));
        meters.gauge(
                "paxoslease.store.missing",
                "stores",
                "Of several stores, those that fail or hang at present and are left out",
                store(figures, store -> store.missing().size()));
        meters.time(
                "paxoslease.store.access.max",
                "The longest of the latest few hundred accesses to the store",
                store(figures, store -> store.max().toNanos()));
        meters.time(
                "paxoslease.store.access.bound",
                "The access bound: every access to the store must take less",
                store(figures, store -> store.accessBound().toNanos()));
        meters.count(
                "paxoslease.store.conflicts",
                null,
                "Detections of a live client that has this node's id or is configured differently",
                store(figures, StoreStatus::conflicts));
        meters.count(
                "paxoslease.store.near.accesses",
                "accesses",
                "Accesses to the store that took more than half of the access bound",
                store(figures, StoreStatus::near));
        meters.count(
                "paxoslease.store.slow.accesses",
                "accesses",
                "Accesses to the store that took as long as the access bound, or longer",
                store(figures, StoreStatus::slow));
        meters.count(
                "paxoslease.store.failed.accesses",
                "accesses",
                "Accesses to the store that failed",
                store(figures, StoreStatus::failed));
    }

    private static ToDoubleFunction<NodeMonitor> store(StatusFigures figures, ToDoubleFunction<StoreStatus> value) {
        return figures.of(status -> {
            StoreStatus store = (StoreStatus) status.algorithm();
            return store == null ? Double.NaN : value.applyAsDouble(store);
        });
    }
}
