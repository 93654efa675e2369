package io.paxoslease.shards;

import io.paxoslease.PaxosLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.ShardGroupStatus.State;
import io.paxoslease.shards.plan.GroupSettings;
import io.paxoslease.shards.plan.Participant;
import io.paxoslease.shards.plan.StableHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work in {@code count} pieces, its shards, spread evenly over the instances that participate, each shard on one of them at a time. An instance
 * owns a shard while it holds the lease {@code shard:<group>/<index>}, under its fencing token (S1); which instance should own which is advice. Shards
 * move when instances come, go or fail, as few as possible, and each only when the work on it has ended.
 *
 * <pre>{@code
 * ShardGroup invoices = ShardGroup.builder(node, "invoices", 32)
 *         .worker(shard -> {
 *             while (true) {
 *                 poll(shard.index(), shard.fencingToken()); // interrupted when the work is to end
 *             }
 *         })
 *         .build();
 * invoices.start();
 * }</pre>
 *
 * <p>All instances of a group must have the same {@code count}, for ever (S11). Thread-safe. Works on members and clients of a cell that runs
 * PaxosLease.
 */
public final class ShardGroup implements AutoCloseable {

    /** The most shards of a group. */
    public static final int MAX_COUNT = Participant.MAX_COUNT;

    private static final Logger log = LoggerFactory.getLogger(ShardGroup.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final GroupPart part;
    private final String name;
    private final ShardOptions options;
    private final GroupSettings settings;
    private final GroupRuns runs;

    private ShardGroup(Builder builder) {
        LocalNode local = LocalNode.of(builder.node);
        if (!local.algorithm().hasWatches()) {
            throw new UnsupportedOperationException(
                    "Shards need members that agree by 'paxoslease', and node '%s' runs '%s': use that algorithm, or elect a leader"
                            .formatted(
                                    Printable.name(local.options().nodeId()),
                                    Printable.name(local.algorithm().name())));
        }
        this.name = ShardNames.check(builder.name);
        this.options = builder.options;
        this.settings = options.settings(name, builder.count);
        this.part = new GroupPart(
                local,
                builder.worker,
                new ShardCounts(),
                options.threads(),
                Threads.pool(1, Integer.MAX_VALUE, Threads.daemon("paxoslease-shards-" + name)));
        this.runs = new GroupRuns(part, settings, options.revision());
    }

    /**
     * A group with so many shards, in which that node participates.
     *
     * @param node asks for the leases; start it first
     * @param name the same at every instance: 1 to 64 letters, digits, dots, hyphens and underscores
     * @param count the same at every instance, 1 to {@value #MAX_COUNT}; it never changes for a name
     */
    public static Builder builder(PaxosLease node, String name, int count) {
        return new Builder(node, name, count);
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** How many shards it has. */
    public int count() {
        return settings.count();
    }

    /** How this instance participates. */
    public ShardOptions options() {
        return options;
    }

    /**
     * Participates. Does nothing when started. May be called again after a stop; if work of before has not ended, shards come when it has.
     *
     * @throws IllegalStateException when another group of this name is started on the node, or it watches too many prefixes
     */
    public void start() {
        runs.start();
    }

    /** Whether this instance participates, or tries to. */
    public boolean isRunning() {
        return runs.isRunning();
    }

    /**
     * Leaves the group: the work on all shards is asked to end, and each shard is handed over when its work has (S8). Work that does not end
     * keeps its shard, also after this method has returned. Called by work on a shard of this group, by its
     * revocation included, it does not wait.
     *
     * @param timeout how long to wait, by the node's clock
     * @return whether all work has ended in time
     */
    public boolean stop(Duration timeout) {
        return runs.stop(Objects.requireNonNull(timeout, "timeout"));
    }

    /** Stops, and waits up to thirty seconds for the work on shards to end. */
    @Override
    public void close() {
        stop(CLOSE_LIMIT);
    }

    /**
     * Tells whether this instance is healthy. One that is not for ten seconds gives its shards up, and gets none until it has been healthy and a
     * minute has passed; then two, and so on up to ten (S10).
     */
    public void health(boolean isUp) {
        runs.health(isUp);
    }

    /** The shards that this instance owns at this instant, by index. */
    public List<Shard> owned() {
        List<Shard> owned = new ArrayList<>();
        for (int index = 0; index < count(); index++) {
            ShardTenure tenure = tenure(index);
            if (tenure != null) {
                owned.add(tenure);
            }
        }
        return List.copyOf(owned);
    }

    /** The indexes of the shards that this instance owns at this instant, in order. */
    public List<Integer> ownedIndexes() {
        return owned().stream().map(Shard::index).toList();
    }

    /**
     * The shard, if this instance owns it at this instant.
     *
     * @throws IllegalArgumentException when the group has no such shard
     */
    public Optional<Shard> shard(int index) {
        return Optional.ofNullable(tenure(index));
    }

    /**
     * Whether this instance owns the shard at this instant.
     *
     * @throws IllegalArgumentException when the group has no such shard
     */
    public boolean owns(int index) {
        return tenure(index) != null;
    }

    private @Nullable ShardTenure tenure(int index) {
        checkIndex(index);
        ShardTenure working = ShardWork.workingOn(part, index);
        if (working != null) { // it may stop because of the answer, so a doubt counts
            return working.isOwned() ? working : null;
        }
        GroupRun present = runs.latest();
        return present == null ? null : present.tenure(index);
    }

    private void checkIndex(int index) {
        if (index < 0 || index >= count()) {
            throw new IllegalArgumentException("Group '%s' has shards 0 to %d, and none with index %d"
                    .formatted(Printable.name(name), count() - 1, index));
        }
    }

    /** The shard that a key belongs to, as by {@link #indexOf(String, int)}. */
    public int indexOf(String key) {
        return indexOf(key, count());
    }

    /**
     * The shard that a key belongs to in each group with so many shards: the same in every version and language. For a producer that is no
     * instance of the group. The page on shards has the hash.
     *
     * @param count 1 to {@value #MAX_COUNT}
     * @throws IllegalArgumentException when there cannot be so many shards
     */
    public static int indexOf(String key, int count) {
        Objects.requireNonNull(key, "key");
        if (count < 1 || count > MAX_COUNT) {
            throw new IllegalArgumentException(
                    "count must be the number of shards of the group, 1 to %d, not %d".formatted(MAX_COUNT, count));
        }
        return StableHash.indexOf(key, count);
    }

    /**
     * The node that owns the shard, as far as this one sees; a hint. Empty when the shard is free, its owner is not known, or this instance has
     * not been started.
     *
     * @throws IllegalArgumentException when the group has no such shard
     */
    public Optional<String> ownerOf(int index) {
        checkIndex(index);
        GroupRun present = runs.latest();
        return present == null ? Optional.empty() : Optional.ofNullable(present.owner(index));
    }

    /**
     * Lets the current thread in for a call that only the owner of the shard may make, and guards it until it is closed. Local.
     *
     * @param interrupt whether the thread is interrupted when the work on the shard is to end during the call
     * @return empty when this instance does not own the shard at this instant
     * @throws IllegalArgumentException when the group has no such shard
     */
    public Optional<ShardCall> enter(int index, boolean interrupt) {
        ShardTenure tenure = tenure(index);
        return tenure == null ? Optional.empty() : Optional.ofNullable(tenure.enter(interrupt));
    }

    /**
     * Runs the task if this instance owns the shard at this instant. The task's thread is interrupted when the work on the shard is to end; the
     * shard is handed over only when the task has ended. {@link Shard#current()} is the shard.
     *
     * @return what the task returns; empty when this instance does not own the shard, or the task returns null
     * @throws Exception what the task throws
     * @throws IllegalArgumentException when the group has no such shard
     */
    public <T extends @Nullable Object> Optional<T> callIfOwned(int index, Callable<T> task) throws Exception {
        Objects.requireNonNull(task, "task");
        ShardCall call = enter(index, true).orElse(null);
        if (call == null) {
            return Optional.empty();
        }
        try (call) {
            return Optional.ofNullable(call.observed(task));
        } finally {
            checkLease(call);
        }
    }

    private void checkLease(ShardCall call) {
        if (call.hasOutlivedItsLease()) {
            part.counts().overrun();
            log.warn(
                    "A call for shard {} of group '{}' ended after its lease: another instance may have owned the shard meanwhile. Let the"
                            + " resource check the fencing token",
                    call.shard().index(),
                    Printable.name(name));
        }
    }

    /** What has happened since this object was made. */
    public ShardGroupCounts counts() {
        return part.counts().read(part.now());
    }

    /** The group as this instance sees it. Takes some milliseconds for a thousand shards. */
    public ShardGroupStatus status() {
        GroupRun present = runs.latest();
        if (present == null) {
            List<ShardGroupStatus.ShardStatus> unknown =
                    IntStream.range(0, count()).mapToObj(GroupRun::unknown).toList();
            return new ShardGroupStatus(name, count(), State.STOPPED, false, null, Map.of(), unknown);
        }
        return present.status();
    }

    @Override
    public String toString() {
        return "ShardGroup[%s, %d shards]".formatted(name, count());
    }

    /** Collects what a group needs. Not thread-safe. */
    public static final class Builder {

        private final PaxosLease node;
        private final String name;
        private final int count;
        private ShardOptions options = ShardOptions.defaults();
        private Supplier<? extends @Nullable ShardWorker> worker = () -> null;

        private Builder(PaxosLease node, String name, int count) {
            this.node = Objects.requireNonNull(node, "node");
            this.name = Objects.requireNonNull(name, "name");
            this.count = count;
        }

        /** How this instance participates. Default: {@link ShardOptions#defaults()}. */
        public Builder options(ShardOptions how) {
            this.options = Objects.requireNonNull(how, "options");
            return this;
        }

        /**
         * Works on each shard that this instance owns, on a thread of the shard's. Default: none; the application asks what this instance
         * owns, as with {@link ShardGroup#ownedIndexes()}.
         */
        public Builder worker(ShardWorker each) {
            Objects.requireNonNull(each, "worker");
            return workerAtStart(() -> each);
        }

        /**
         * Like {@link #worker}, for a worker that is not known yet when the group is made.
         *
         * @param source called once at each start; null means that there is no worker
         */
        public Builder workerAtStart(Supplier<? extends @Nullable ShardWorker> source) {
            this.worker = Objects.requireNonNull(source, "worker");
            return this;
        }

        /**
         * Makes the group; {@link ShardGroup#start()} it then.
         *
         * @throws IllegalArgumentException when the name, the count or an option is not valid
         * @throws UnsupportedOperationException when the node runs another algorithm than PaxosLease
         */
        public ShardGroup build() {
            return new ShardGroup(this);
        }
    }
}
