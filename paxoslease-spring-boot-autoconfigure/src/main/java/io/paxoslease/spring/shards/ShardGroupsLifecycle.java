package io.paxoslease.spring.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.leader.HealthGroups;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the groups once the application is ready, and stops them in the phase of the elections. All groups leave at the same time; each shard is handed
 * over when the work on it has ended. {@link ShardsStopBarrier} keeps lower phases waiting until that is done. Thread-safe.
 */
final class ShardGroupsLifecycle implements SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(ShardGroups.class);

    private final ShardGroups groups;
    private final ObjectProvider<ShardGroup> others;
    private final ObjectProvider<HealthGroups> health;
    private final int phase;
    private final Map<ShardGroup, ShardHealth> watches = new HashMap<>();
    private boolean running;
    private boolean begun;
    /** The last stop. */
    private volatile CompletableFuture<Void> ending = CompletableFuture.completedFuture(null);

    /** @param others groups that the application makes itself */
    ShardGroupsLifecycle(
            ShardGroups groups, ObjectProvider<ShardGroup> others, ObjectProvider<HealthGroups> health, int phase) {
        this.groups = groups;
        this.others = others;
        this.health = health;
        this.phase = phase;
    }

    /**
     * The application is ready: starts the groups now if this bean is started, or when it is. Does nothing when called again.
     */
    void begin() {
        synchronized (this) {
            begun = true;
        }
        startWhenReady();
    }

    /** @throws RuntimeException if a group cannot work on this node, or requires a health group that does not exist */
    @Override
    public void start() {
        List<ShardGroup> all = groups.all(); // without the lock: it looks beans up
        checkOthers();
        Map<ShardGroup, ShardHealth> found = new HashMap<>();
        all.forEach(group -> {
            ShardSettings.Group settings = groups.settings().groups().get(group.name());
            if (settings != null && settings.healthGroup() != null) {
                found.put(group, ShardHealth.of(group, settings.healthGroup(), health));
            }
        });
        synchronized (this) {
            if (running) {
                return;
            }
            running = true;
            watches.putAll(found);
        }
        startWhenReady();
    }

    private void checkOthers() {
        others.forEach(other -> {
            if (groups.names().contains(other.name()) && groups.get(other.name()) != other) {
                throw new InvalidConfigurationPropertyValueException(
                        ShardSettings.property(other.name()) + ".count",
                        groups.get(other.name()).count(),
                        "The group has a second definition, a ShardGroup bean with %d shards: remove the bean and inject ShardGroups, or remove the properties."
                                .formatted(other.count()));
            }
        });
    }

    private synchronized void startWhenReady() {
        if (!running || !begun) {
            return;
        }
        groups.all().forEach(group -> {
            ShardHealth watch = watches.get(group);
            if (watch == null) {
                group.start();
            } else {
                watch.start();
            }
        });
    }

    /** Asks all work to end, and waits for it. */
    @Override
    public void stop() {
        leave().run();
    }

    @Override
    public void stop(Runnable callback) {
        Runnable waiting = leave();
        Runnable rest = () -> {
            try {
                waiting.run();
            } finally {
                callback.run();
            }
        };
        if (isInShardCall() || groups.names().isEmpty()) {
            rest.run(); // a wait on the thread of a shard passes over the group of that shard
            return;
        }
        try {
            new Thread(rest, "paxoslease-stop-shards").start();
        } catch (Error noThread) {
            log.warn("No thread to wait for the shards: their end delays the stops of other beans", noThread);
            rest.run();
        }
    }

    private static boolean isInShardCall() {
        try {
            return Shard.current() != null;
        } catch (IllegalStateException inNone) {
            return false;
        }
    }

    /** Asks all work to end. The result waits for it, and is to be run once. */
    private synchronized Runnable leave() {
        if (!running) {
            return () -> {};
        }
        running = false;
        watches.values().forEach(ShardHealth::stop);
        watches.clear();
        long now = System.nanoTime();
        List<ShardGroup> left =
                groups.all().stream().filter(ShardGroup::isRunning).toList();
        left.forEach(group -> group.stop(Duration.ZERO));
        CompletableFuture<Void> ended = new CompletableFuture<>();
        ending = ended;
        return () -> {
            try {
                left.forEach(group -> await(group, now));
            } finally {
                ended.complete(null);
            }
        };
    }

    private static void await(ShardGroup group, long since) {
        Duration limit = group.options().handOverTimeout();
        long left = Math.max(0, limit.toNanos() - (System.nanoTime() - since));
        if (group.stop(Duration.ofNanos(left))) {
            return;
        }
        if (isInShardCall()) {
            log.warn(
                    "Work on a shard stops the application, which does not wait for the shards of group '{}' then: they are not all handed over."
                            + " Stop the application on another thread",
                    Printable.name(group.name()));
        } else {
            log.warn(
                    "Work on shards of group '{}' has not ended within {} ms (hand-over-timeout): these shards are not handed over",
                    Printable.name(group.name()),
                    limit.toMillis());
        }
    }

    /** Waits until the last stop is done, which takes as long as the longest hand-over timeout at most. */
    void awaitEnd() {
        ending.join();
    }

    /** After a stop, what still runs has been waited for. */
    @Override
    public void destroy() {
        stop();
        awaitEnd();
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }
}
