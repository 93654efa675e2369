package io.paxoslease.spring.actuate;

import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardGroupCounts;
import io.paxoslease.shards.ShardGroupStatus;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The groups of shards, as one node sees them. */
record ShardsDescriptor(String node, Map<String, GroupDescriptor> groups) implements OperationResponseBody {

    /**
     * One group.
     *
     * @param current whether a majority of the members tells this node of each change
     * @param conflict why this node does not participate; null if it does
     * @param owned how many shards this node owns
     * @param free how many shards are known to have no owner
     * @param shards each shard; null in a list of groups
     */
    record GroupDescriptor(
            String group,
            int count,
            ShardGroupStatus.State state,
            boolean current,
            @Nullable String conflict,
            int owned,
            long free,
            String revision,
            CountsDescriptor counts,
            Map<String, ParticipantDescriptor> participants,
            @Nullable List<ShardDescriptor> shards)
            implements OperationResponseBody {

        static GroupDescriptor of(String node, ShardGroup group, ShardGroupCounts counts, boolean withShards) {
            ShardGroupStatus status = group.status();
            Map<String, ParticipantDescriptor> participants = new TreeMap<>();
            status.participants()
                    .forEach((id, each) -> participants.put(id, ParticipantDescriptor.of(each, status.ownedBy(id))));
            return new GroupDescriptor(
                    status.group(),
                    status.count(),
                    status.state(),
                    status.current(),
                    status.conflict(),
                    group.ownedIndexes().size(),
                    status.free(),
                    group.options().revision(),
                    CountsDescriptor.of(counts),
                    participants,
                    withShards
                            ? status.shards().stream()
                                    .map(each -> ShardDescriptor.of(node, group, each))
                                    .toList()
                            : null);
        }
    }

    /** What has happened in the group, as this node has seen it. */
    record CountsDescriptor(long granted, long released, long lost, long failed, long overrun, long unownedMillis) {

        private static final int NANOS_PER_MILLI = 1_000_000;

        private static CountsDescriptor of(ShardGroupCounts counts) {
            return new CountsDescriptor(
                    counts.granted(),
                    counts.released(),
                    counts.lost(),
                    counts.failed(),
                    counts.overrun(),
                    counts.unownedNanos() / NANOS_PER_MILLI);
        }
    }

    /** What an instance tells of itself; its age is that of the time when it told it. */
    record ParticipantDescriptor(
            ShardGroupStatus.State state, String revision, long ageMillis, long owned, int maxOwned) {

        private static ParticipantDescriptor of(ShardGroupStatus.ParticipantStatus participant, long owned) {
            return new ParticipantDescriptor(
                    participant.state(),
                    participant.revision(),
                    participant.age().toMillis(),
                    owned,
                    participant.maxOwned());
        }
    }

    /**
     * One shard.
     *
     * @param target the node that should own it
     * @param reason why it is where it is
     * @param fencingToken of its lease, if this node owns it
     */
    record ShardDescriptor(
            int index,
            @Nullable String owner,
            @Nullable String target,
            String reason,
            @Nullable Long fencingToken) {

        private static ShardDescriptor of(String node, ShardGroup group, ShardGroupStatus.ShardStatus status) {
            Long token = node.equals(status.owner())
                    ? group.shard(status.index()).map(Shard::fencingToken).orElse(null)
                    : null;
            return new ShardDescriptor(status.index(), status.owner(), status.target(), status.reason(), token);
        }
    }
}
