package io.paxoslease.spring.shards;

import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardWorker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** What an application does with the shards of a group: its components and methods, which are known when all beans are. Thread-safe. */
final class GroupWorker implements ShardWorker {

    private final String name;
    private final @Nullable ThreadFactory threads;
    private final List<ShardComponentFactory<?>> factories = new CopyOnWriteArrayList<>();
    private final List<ShardMethod> granted = new CopyOnWriteArrayList<>();
    private final List<ShardMethod> revoked = new CopyOnWriteArrayList<>();
    private final List<ShardTask> tasks = new CopyOnWriteArrayList<>();
    private final Map<Integer, ShardRun> runs = new ConcurrentHashMap<>();
    /** The fencing tokens of the latest runs that have begun. */
    private final Map<Integer, Long> begun = new ConcurrentHashMap<>();

    private volatile @Nullable ShardGroup group;

    /** @param threads null: daemon threads of the platform */
    GroupWorker(String name, @Nullable ThreadFactory threads) {
        this.name = name;
        this.threads = threads;
    }

    void belongTo(ShardGroup made) {
        group = made;
    }

    ShardGroup group() {
        return Objects.requireNonNull(group, "group");
    }

    void add(ShardComponentFactory<?> factory) {
        factories.add(factory);
    }

    void addGranted(ShardMethod method) {
        granted.add(method);
    }

    /** It is called before those that were added earlier. */
    void addRevoked(ShardMethod method) {
        revoked.add(0, method);
    }

    void add(ShardTask task) {
        tasks.add(task);
    }

    /** Null if there is nothing to do: shards need no threads then. */
    @Nullable
    GroupWorker unlessIdle() {
        return factories.isEmpty() && granted.isEmpty() && revoked.isEmpty() && tasks.isEmpty() ? null : this;
    }

    List<ShardComponentFactory<?>> factories() {
        return factories;
    }

    List<ShardMethod> granted() {
        return granted;
    }

    List<ShardMethod> revoked() {
        return revoked;
    }

    List<ShardTask> tasks() {
        return tasks;
    }

    long failedCalls() {
        return tasks.stream().mapToLong(ShardTask::failedCalls).sum();
    }

    /** Components are open, and the methods for the grant have returned. */
    void hasBegun(Shard shard) {
        begun.put(shard.index(), shard.fencingToken());
    }

    /** The fencing token under which the work on a shard last began; null if it never has. */
    @Nullable
    Long lastBegun(int index) {
        return begun.get(index);
    }

    @Override
    public void onGranted(Shard shard) throws Exception {
        ShardRun run = new ShardRun(this, shard);
        runs.put(shard.index(), run);
        Thread.currentThread().setName(threadName(shard));
        run.begin();
    }

    @Override
    public void work(Shard shard) throws Exception {
        ShardRun run = runs.get(shard.index());
        if (run != null) {
            run.work();
        }
    }

    @Override
    public void onRevoked(Shard shard) {
        ShardRun run = runs.remove(shard.index());
        if (run != null) {
            run.end();
        }
    }

    /** A thread for another task on the shard, not started. */
    Thread thread(Shard shard, int task, Runnable work) {
        Thread thread = threads == null ? new Thread(work) : threads.newThread(work);
        if (threads == null) {
            thread.setDaemon(true);
        }
        thread.setName(threadName(shard) + "-" + task);
        return thread;
    }

    private String threadName(Shard shard) {
        return "paxoslease-shard-%s-%d".formatted(name, shard.index());
    }
}
