package io.paxoslease.spring.actuate;

import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.shards.ShardGroups;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows the groups of shards as this node sees them: who participates, who owns what, and why a shard is not where it should be. Reading changes nothing.
 * What it shows of other nodes is a hint.
 */
@Endpoint(id = "shards")
final class ShardsEndpoint {

    private final ShardGroups groups;
    private final Supplier<String> nodeId;

    ShardsEndpoint(ShardGroups groups, Supplier<String> nodeId) {
        this.groups = groups;
        this.nodeId = nodeId;
    }

    /** All groups, without their single shards. */
    @ReadOperation
    public ShardsDescriptor shards() {
        String node = nodeId.get();
        Map<String, ShardsDescriptor.GroupDescriptor> all = new TreeMap<>();
        for (ShardGroup group : groups.all()) {
            all.put(group.name(), ShardsDescriptor.GroupDescriptor.of(node, group, groups.counts(group.name()), false));
        }
        return new ShardsDescriptor(node, all);
    }

    /**
     * One group, with each shard.
     *
     * @return null, which is HTTP's 404, if this application has no such group
     */
    @ReadOperation
    public ShardsDescriptor.@Nullable GroupDescriptor group(@Selector String group) {
        return groups.names().contains(group)
                ? ShardsDescriptor.GroupDescriptor.of(nodeId.get(), groups.get(group), groups.counts(group), true)
                : null;
    }
}
