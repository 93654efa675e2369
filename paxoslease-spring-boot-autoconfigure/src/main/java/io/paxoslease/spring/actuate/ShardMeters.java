package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardGroupCounts;
import io.paxoslease.spring.shards.ShardGroups;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of the groups of shards, with the tags {@code cell}, {@code node} and {@code group}. Reading them is local. */
final class ShardMeters implements MeterBinder {

    private static final double NANOS_PER_SECOND = 1e9;

    private final NodeMonitor node;
    private final ShardGroups groups;

    ShardMeters(NodeMonitor node, ShardGroups groups) {
        this.node = node;
        this.groups = groups;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Tags tags = PaxosLeaseMetrics.tags(node.options());
        groups.all().forEach(group -> bind(group, registry, tags.and("group", group.name())));
    }

    private void bind(ShardGroup group, MeterRegistry registry, Tags tags) {
        gauge(registry, tags, "paxoslease.shards.owned", "Shards that this node owns", group, each -> each.owned()
                .size());
        gauge(
                registry,
                tags,
                "paxoslease.shards.free",
                "Shards that are known to have no owner",
                group,
                each -> each.status().free());
        Counts counts = new Counts(registry, tags, group.name());
        counts.add(
                "unowned.seconds",
                "seconds",
                "Time that shards had no owner, as this node has seen it, added up over all shards",
                each -> each.unownedNanos() / NANOS_PER_SECOND);
        counts.add("granted", null, "Shards that this node was granted", ShardGroupCounts::granted);
        counts.add(
                "released",
                null,
                "Shards that this node released after their work had ended",
                ShardGroupCounts::released);
        counts.add("lost", null, "Shards whose lease this node lost", ShardGroupCounts::lost);
        counts.add("failed", null, "Failures of the work on shards", ShardGroupCounts::failed);
        counts.add(
                "overrun", null, "Guarded calls that ended after the lease of their shard", ShardGroupCounts::overrun);
    }

    private static void gauge(
            MeterRegistry registry,
            Tags tags,
            String name,
            String description,
            ShardGroup group,
            ToDoubleFunction<ShardGroup> value) {
        Gauge.builder(name, group, value)
                .description(description)
                .baseUnit("shards")
                .tags(tags)
                .register(registry);
    }

    /** Counters of one group. */
    private final class Counts {

        private final MeterRegistry registry;
        private final Tags tags;
        private final String group;

        Counts(MeterRegistry registry, Tags tags, String group) {
            this.registry = registry;
            this.tags = tags;
            this.group = group;
        }

        void add(String name, @Nullable String unit, String description, ToDoubleFunction<ShardGroupCounts> value) {
            FunctionCounter.builder("paxoslease.shards." + name, groups, all -> value.applyAsDouble(all.counts(group)))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }
    }
}
