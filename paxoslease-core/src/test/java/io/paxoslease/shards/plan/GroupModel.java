package io.paxoslease.shards.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A group of instances, each with its {@link Participation}, over a {@link ModelCell}, in simulated time: latencies, views that are late
 * and sometimes wrong, crashes. One seed decides everything.
 */
final class GroupModel {

    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;
    private static final long COALESCE = 20 * MILLI;

    private record Step(long at, long sequence, Runnable action) implements Comparable<Step> {
        @Override
        public int compareTo(Step other) {
            return at == other.at ? Long.compare(sequence, other.sequence) : Long.compare(at, other.at);
        }
    }

    final Random random;
    final int count;
    final ModelCell cell;
    final Map<String, ModelInstance> instances = new HashMap<>();
    final List<String> violations = new ArrayList<>();

    /** For each shard that got work again, how long it had none, from the interrupt or the crash on. */
    final List<Long> unowned = new ArrayList<>();

    long time;
    long leaseTime = 3 * SECOND;
    long workTime = 10 * MILLI;
    int maxOwned;
    int expected;
    int grants;
    int wishes;
    int withdrawn;

    /** The longest delay of a view, beside the 20 ms in which changes are gathered. */
    long longestViewDelay = 5 * MILLI;

    /** Of so many views, one lacks a participant; 0 for none. */
    int wrongViews;

    private final PriorityQueue<Step> agenda = new PriorityQueue<>();
    private final @Nullable ModelInstance[] workers;
    private final @Nullable ModelInstance[] lastOwners;
    private final long[] endedAt;
    private long sequence;
    private boolean isViewDue;

    GroupModel(long seed, int count) {
        this.random = new Random(seed);
        this.count = count;
        this.maxOwned = count;
        this.cell = new ModelCell(this, count);
        this.workers = new ModelInstance[count];
        this.lastOwners = new ModelInstance[count];
        this.endedAt = new long[count];
        Arrays.fill(endedAt, -1);
    }

    void after(long nanos, Runnable action) {
        agenda.add(new Step(time + nanos, sequence++, action));
    }

    void run(long nanos) {
        long end = time + nanos;
        while (!agenda.isEmpty() && agenda.element().at() <= end) {
            Step step = agenda.remove();
            time = step.at();
            step.action().run();
        }
        time = end;
    }

    /** Figures count from now. */
    void forgetFigures() {
        unowned.clear();
        grants = 0;
        wishes = 0;
        withdrawn = 0;
    }

    long drawViewDelay() {
        return MILLI / 2 + (long) (longestViewDelay * random.nextDouble());
    }

    ModelInstance start(String node, String revision) {
        return start(node, revision, count);
    }

    ModelInstance start(String node, String revision, int configured) {
        GroupSettings settings = new GroupSettings(
                "invoices",
                configured,
                Math.min(maxOwned, configured),
                expected,
                Duration.ofSeconds(3),
                Duration.ofSeconds(60),
                Duration.ofSeconds(20));
        ModelInstance instance = new ModelInstance(this, node, revision, settings);
        instances.put(node, instance);
        instance.tell(() -> {});
        instance.tell(instance.participation::ready);
        instance.see(view(null));
        return instance;
    }

    void leave(String node) {
        ModelInstance instance = instance(node);
        instance.tell(instance.participation::leave);
    }

    void crash(ModelInstance instance) {
        if (instance.isAlive) {
            instance.isAlive = false;
            instance.running.stream().forEach(shard -> endedAt[shard] = time);
            instance.running.clear();
            cell.expire(
                    instance, leaseTime - random.nextLong(leaseTime / 3), leaseTime - random.nextLong(leaseTime / 3));
        }
    }

    ModelInstance instance(String node) {
        ModelInstance instance = instances.get(node);
        if (instance == null) {
            throw new IllegalArgumentException(node);
        }
        return instance;
    }

    /** Something that watches show: told to all, gathered for 20 ms. */
    void changed() {
        if (!isViewDue) {
            isViewDue = true;
            after(COALESCE, () -> {
                isViewDue = false;
                GroupView view = view(null);
                for (ModelInstance each : List.copyOf(instances.values())) {
                    if (each.isAlive) {
                        tell(each, view);
                    }
                }
            });
        }
    }

    private void tell(ModelInstance instance, GroupView view) {
        List<String> others = List.copyOf(cell.participants.keySet());
        if (wrongViews > 0 && !others.isEmpty() && random.nextInt(wrongViews) == 0) {
            instance.see(view(others.get(random.nextInt(others.size()))));
            after(random.nextLong(3 * SECOND), () -> instance.see(view(null)));
        } else {
            instance.see(view);
        }
    }

    GroupView view() {
        return view(null);
    }

    @SuppressWarnings("NullAway") // javac 17 does not read annotations of type arguments from class files
    private GroupView view(@Nullable String without) {
        Map<String, Participant> seen = new HashMap<>();
        cell.participants.forEach((node, listed) -> seen.put(node, listed.note()));
        if (without != null) {
            seen.remove(without);
        }
        List<@Nullable String> owners = new ArrayList<>();
        for (int shard = 0; shard < count; shard++) {
            ModelInstance holder = cell.holder(shard);
            owners.add(holder == null ? null : holder.node);
        }
        return new GroupView(seen, owners, new BitSet());
    }

    void granted(int shard, ModelInstance instance) {
        if (lastOwners[shard] != instance) {
            grants++;
            lastOwners[shard] = instance;
        }
    }

    void started(int shard, ModelInstance instance) {
        ModelInstance other = workers[shard];
        if (other != null && other != instance && other.running.get(shard)) {
            violation("shard %d at %s and %s".formatted(shard, other.node, instance.node));
        }
        if (cell.holder(shard) != instance) {
            violation("%s works on shard %d without its lease".formatted(instance.node, shard));
        }
        workers[shard] = instance;
        if (endedAt[shard] >= 0) {
            unowned.add(time - endedAt[shard]);
            endedAt[shard] = -1;
        }
    }

    void interrupted(int shard) {
        endedAt[shard] = time;
    }

    void violation(String what) {
        violations.add("at %d ms: %s".formatted(time / MILLI, what));
    }

    /** How many shards no instance works on. */
    int idle() {
        return count - loads().stream().mapToInt(Integer::intValue).sum();
    }

    /** How many shards each instance that runs works on. */
    List<Integer> loads() {
        return instances.values().stream()
                .filter(each -> each.isAlive)
                .map(each -> each.running.cardinality())
                .toList();
    }

    /** The highest load less the lowest one. */
    int spread() {
        List<Integer> loads = loads();
        return loads.stream().mapToInt(Integer::intValue).max().orElse(0)
                - loads.stream().mapToInt(Integer::intValue).min().orElse(0);
    }

    /** Of m instances n0 to n(m - 1), with the shards spread and everything settled. */
    static GroupModel settled(long seed, int count, int m) {
        GroupModel model = new GroupModel(seed, count);
        IntStream.range(0, m).forEach(i -> model.start("n" + i, "r1"));
        model.run(120 * SECOND);
        return model;
    }
}
