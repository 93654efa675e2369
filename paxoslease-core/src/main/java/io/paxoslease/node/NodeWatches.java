package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.watch.WatchPrefix;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the users of a node watch, over all its starts. Thread-safe. */
final class NodeWatches {

    /** How many prefixes a node watches: members serve as many. */
    static final int MOST = 64;

    private final Map<String, PrefixWatch> watches = new HashMap<>();
    /** Prefixes that the node's thread has yet to look at. */
    private final Set<String> untold = new HashSet<>();

    private @Nullable RunningNode node;

    /**
     * Begins a watch.
     *
     * @throws IllegalArgumentException when nothing with that name can be watched
     * @throws IllegalStateException when too many prefixes are watched
     * @throws UnsupportedOperationException when the algorithm has no watches
     */
    LeaseWatch add(PaxosLeaseOptions options, NodeAlgorithm algorithm, String prefix, LeaseWatchListener listener) {
        if (!algorithm.hasWatches()) {
            throw new UnsupportedOperationException(
                    "Leases are watched at the members of a cell that runs 'paxoslease', and node '%s' runs '%s': look at the status of a lease instead"
                            .formatted(Printable.name(options.nodeId()), Printable.name(algorithm.name())));
        }
        ResourceNames.check(prefix);
        if (!WatchPrefix.isWatched(prefix)) {
            throw new IllegalArgumentException(
                    "Leases of roles and shards can be watched: a prefix begins with one of %s, and this one is '%s'"
                            .formatted(WatchPrefix.all(), Printable.name(prefix)));
        }
        return add(prefix, listener);
    }

    private LeaseWatch add(String prefix, LeaseWatchListener listener) {
        PrefixWatch watch;
        LeaseWatch user;
        synchronized (this) {
            watch = watches.get(prefix);
            if (watch == null) {
                if (watches.size() >= MOST) {
                    throw new IllegalStateException(
                            "A node watches at most %d prefixes: close watches, or watch a shorter prefix that they share"
                                    .formatted(MOST));
                }
                watch = new PrefixWatch(prefix, this::end);
            }
            user = watch.add(listener, node == null ? null : node.callbacks());
            watches.put(prefix, watch);
        }
        tellNode(prefix);
        watch.wake();
        return user;
    }

    /** A user has closed it. */
    private void end(PrefixWatch watch) {
        boolean isOver;
        synchronized (this) {
            isOver = watch.isUnused() && watches.remove(watch.prefix(), watch);
        }
        if (isOver) {
            tellNode(watch.prefix());
        }
    }

    /** Without the lock, as to hand a task over may wait. However often a prefix changes, one task is on its way for it. */
    private void tellNode(String prefix) {
        RunningNode running;
        synchronized (this) {
            running = node;
            if (running == null || !untold.add(prefix)) {
                return;
            }
        }
        if (!running.execute(() -> tellMachine(running, prefix))) {
            forget(prefix);
        }
    }

    private synchronized void forget(String prefix) {
        untold.remove(prefix);
    }

    /** On the node's thread: what is watched now counts. */
    private void tellMachine(RunningNode running, String prefix) {
        boolean isWatched;
        synchronized (this) {
            untold.remove(prefix);
            isWatched = watches.containsKey(prefix);
        }
        running.submit(isWatched ? new Event.Watch(prefix) : new Event.Unwatch(prefix));
    }

    /** The node runs, and is asked for all that is watched. */
    void started(RunningNode runtime) {
        List<String> prefixes;
        synchronized (this) {
            node = runtime;
            untold.clear();
            watches.values().forEach(watch -> watch.restart(runtime.callbacks()));
            prefixes = List.copyOf(watches.keySet());
        }
        prefixes.forEach(this::tellNode);
    }

    /** That node tells of nothing any more. */
    void stopped(RunningNode runtime) {
        List<PrefixWatch> all;
        synchronized (this) {
            all = node == runtime ? List.copyOf(watches.values()) : List.of();
            node = node == runtime ? null : node;
        }
        all.forEach(PrefixWatch::stalled);
    }

    /** On the node's thread. */
    void apply(Effect.Watched told) {
        PrefixWatch watch;
        synchronized (this) {
            watch = watches.get(told.prefix());
        }
        if (watch != null) {
            watch.apply(told);
        }
    }
}
