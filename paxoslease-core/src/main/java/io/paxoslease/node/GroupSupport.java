package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.protocol.Printable;
import io.paxoslease.watch.LeaseWatch;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What groups of shards need of their node. Thread-safe; nothing here blocks. */
public final class GroupSupport {

    /** @param giveUp see {@link #giveUp} */
    private record Joined(Object group, Predicate<String> giveUp, Runnable wake) {}

    private final LocalNode node;
    private final NodeLifecycle lifecycle;
    private final Map<String, Joined> groups = new ConcurrentHashMap<>();
    private volatile @Nullable NodeClock clock;

    GroupSupport(LocalNode node, NodeLifecycle lifecycle) {
        this.node = node;
        this.lifecycle = lifecycle;
        lifecycle.whenStarted(
                () -> groups.values().forEach(joined -> joined.wake().run()));
    }

    /**
     * The group participates from now on.
     *
     * @param giveUp as {@link #giveUp}, for this group
     * @param wake called when the node has been started: what was asked of it before came to nothing. Must not block or throw
     * @throws IllegalStateException when another one of that name does
     */
    public void join(Object group, String name, Predicate<String> giveUp, Runnable wake) {
        Joined other = groups.putIfAbsent(name, new Joined(group, giveUp, wake));
        if (other != null && other.group() != group) {
            throw new IllegalStateException(
                    "Node '%s' participates in group '%s' already: stop the other one, or give this one another name"
                            .formatted(Printable.name(node.options().nodeId()), Printable.name(name)));
        }
    }

    public void leave(Object group, String name) {
        groups.computeIfPresent(name, (same, joined) -> joined.group() == group ? null : joined);
    }

    /**
     * Asks the work on a shard to end; the shard is released when it has. Free then, it is for the instance that the plan names, which may be
     * this one.
     *
     * @param resource the name of the lease
     * @return whether a group of this node holds it as the lease of a shard
     */
    boolean giveUp(String resource) {
        return groups.values().stream().anyMatch(joined -> joined.giveUp().test(resource));
    }

    /**
     * Watches leases.
     *
     * @param onChange called by any thread at once; must not block
     */
    public LeaseWatch watch(String prefix, Runnable onChange) {
        return node.watch(prefix, new PromptListener(onChange));
    }

    /**
     * Asks the cell for a lease.
     *
     * @param askedFor for how long it is asked for, until it is renewed for the time of the options; null: for that
     * @param onAnswer called on the node's thread, or at once; must not block
     * @return null when the node is not running, or does not know the members yet
     */
    public @Nullable PendingLease ask(
            String resource, AcquireOptions how, @Nullable Duration askedFor, Runnable onAnswer) {
        NodeRuntime running = lifecycle.joining() == null ? lifecycle.running() : null;
        if (running == null) {
            return null;
        }
        PendingLease pending = PendingLease.ask(running, resource, how, askedFor, null);
        pending.whenAnswered(onAnswer);
        return pending;
    }

    /** The node's clock, also while it is not running. */
    public NodeClock clock() {
        NodeRuntime running = lifecycle.running();
        if (running != null) {
            clock = running.clock();
        }
        NodeClock latest = clock;
        return latest == null ? node.clock() : latest;
    }

    /** Stands for one run of the node, from a start to a stop; null when it is not running. */
    public @Nullable Object life() {
        return lifecycle.running();
    }

    /** As {@link NodeRuntime#later}; null when the node is not running. */
    public @Nullable ScheduledFuture<?> later(Runnable code, long nanos) {
        NodeRuntime running = lifecycle.running();
        return running == null ? null : running.later(code, nanos);
    }

    /** Where a group runs: on that thread of its own, unless the node's environment has another one for it. */
    public Executor worker(Executor own) {
        NodeRuntime running = lifecycle.running();
        return running == null ? own : running.environment().worker(own);
    }
}
