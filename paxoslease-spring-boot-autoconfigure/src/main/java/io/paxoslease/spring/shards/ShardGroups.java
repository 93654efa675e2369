package io.paxoslease.spring.shards;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardGroupCounts;
import io.paxoslease.spring.shards.ShardSettings.Group;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The groups of shards under {@code paxoslease.shards}. Inject it to ask which shards this instance owns. The groups start once the application is ready,
 * and stop before its node does. Thread-safe.
 */
public final class ShardGroups {

    private record Entry(ShardGroup group, GroupWorker worker) {}

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final Supplier<PaxosLease> node;
    private final ShardSettings settings;
    private final @Nullable ThreadFactory threads;

    /** @param threads make the threads of shards; null: daemon threads of the platform */
    ShardGroups(Supplier<PaxosLease> node, ShardSettings settings, @Nullable ThreadFactory threads) {
        this.node = node;
        this.settings = settings;
        this.threads = threads;
    }

    /** The names of all groups. */
    public Set<String> names() {
        return new TreeSet<>(settings.groups().keySet());
    }

    /** All groups, by name. */
    public List<ShardGroup> all() {
        return names().stream().map(this::get).toList();
    }

    /**
     * The group of that name. It is started and stopped by the application context.
     *
     * @throws IllegalArgumentException if {@code paxoslease.shards.<name>.count} is not set
     */
    public ShardGroup get(String name) {
        return entry(name).group();
    }

    /**
     * What has happened in the group since the application started: {@link ShardGroup#counts()}, where failed calls of {@link OnShard} methods with a
     * fixed delay count as failures too.
     *
     * @throws IllegalArgumentException if {@code paxoslease.shards.<name>.count} is not set
     */
    public ShardGroupCounts counts(String name) {
        Entry entry = entry(name);
        ShardGroupCounts counts = entry.group().counts();
        return new ShardGroupCounts(
                counts.granted(),
                counts.released(),
                counts.lost(),
                counts.failed() + entry.worker().failedCalls(),
                counts.overrun(),
                counts.unownedNanos());
    }

    /**
     * The fencing token under which the work on the shard last began on this instance: its components are open, and {@link OnShardGranted} methods
     * have returned. The work may have ended since. In a group without methods and components, the token of a shard that this instance owns.
     *
     * @return empty if no such work has begun
     * @throws IllegalArgumentException if {@code paxoslease.shards.<name>.count} is not set, or the group has no such shard
     */
    public Optional<Long> lastBegun(String name, int index) {
        Entry entry = entry(name);
        Optional<Long> owned = entry.group().shard(index).map(Shard::fencingToken);
        return entry.worker().unlessIdle() == null
                ? owned
                : Optional.ofNullable(entry.worker().lastBegun(index));
    }

    ShardSettings settings() {
        return settings;
    }

    /** What works on the shards of the group. */
    GroupWorker worker(String name) {
        return entry(name).worker();
    }

    /** Without a lock: the search for the node may create beans, and one of them may wait for a group. */
    private Entry entry(String name) {
        Entry known = entries.get(name);
        if (known != null) {
            return known;
        }
        Group configured = settings.groups().get(name);
        if (configured == null) {
            throw new IllegalArgumentException(
                    "There is no group '%s', only %s: set %s.count to the number of its shards"
                            .formatted(Printable.name(name), names(), ShardSettings.property(name)));
        }
        Entry made = make(name, configured);
        Entry before = entries.putIfAbsent(name, made);
        return before == null ? made : before;
    }

    private Entry make(String name, Group configured) {
        GroupWorker worker = new GroupWorker(name, threads);
        try {
            ShardGroup group = ShardGroup.builder(node.get(), name, configured.count())
                    .options(configured.options().toBuilder().threads(threads).build())
                    .workerAtStart(worker::unlessIdle)
                    .build();
            worker.belongTo(group);
            return new Entry(group, worker);
        } catch (UnsupportedOperationException e) {
            throw new NodeStartException(
                    "The group '%s' needs the algorithm 'paxoslease': %s."
                            .formatted(Printable.name(name), Printable.text(e.getMessage())),
                    "Remove paxoslease.algorithm, or remove the properties under %s and elect a leader with @OnLeader."
                            .formatted(ShardSettings.property(name)),
                    e);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    ShardSettings.property(name) + ".count", configured.count(), Printable.text(e.getMessage()) + ".");
        }
    }
}
