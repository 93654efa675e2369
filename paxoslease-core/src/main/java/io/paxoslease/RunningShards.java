package io.paxoslease;

import io.paxoslease.runtime.NodeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/**
 * A node between one start and the next stop: as many shards as it has event loops, most often one. Each takes part, with the
 * same shard of the other nodes, in a cell of its own, and has the resources whose names fall to it.
 */
final class RunningShards {

    private final List<RunningNode> shards;
    private final Wiring wiring;

    private RunningShards(List<RunningNode> shards, Wiring wiring) {
        this.shards = List.copyOf(shards);
        this.wiring = wiring;
    }

    /** @throws NodeStartException when the node cannot listen */
    static RunningShards start(PaxosLeaseOptions options, Wiring wiring, Instruments instruments) {
        List<RunningNode> shards = new ArrayList<>();
        shards.add(new RunningNode(options, wiring, instruments));
        for (Wiring further : wiring.furtherShards()) {
            shards.add(new RunningNode(options, further, instruments.ofFurtherShard()));
        }
        for (int shard = shards.size() - 1; shard >= 0; shard--) {
            shards.get(shard).open();
        }
        RunningShards started = new RunningShards(shards, wiring);
        boolean begun = false;
        try {
            shards.forEach(RunningNode::begin);
            begun = true;
        } finally {
            if (!begun) { // without a thread for a loop
                started.stop();
            }
        }
        return started;
    }

    /** Every shard has ended its leases and released them before the first connection closes. */
    void stop() {
        try {
            RunningNode.await(CompletableFuture.allOf(
                    shards.stream().map(RunningNode::beginEnd).toArray(CompletableFuture<?>[]::new)));
        } finally {
            try {
                shards.forEach(RunningNode::clear);
            } finally {
                wiring.close(); // whatever happens: a node that has been stopped renews nothing
            }
        }
    }

    /**
     * Which shard a resource falls to. The same in every process for ever: nodes that disagreed about it would ask acceptors
     * that do not know of each other.
     */
    static int shardOf(String resource, int shards) {
        if (shards == 1) {
            return 0;
        }
        int hash = resource.hashCode(); // defined by the language's library
        hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
        return Math.floorMod(hash ^ (hash >>> 16), shards);
    }

    RunningNode of(String resource) {
        return shards.get(shardOf(resource, shards.size()));
    }

    /** In order; at least one. */
    List<RunningNode> all() {
        return shards;
    }

    RunningNode first() {
        return shards.get(0);
    }

    NodeClock clock() {
        return first().clock();
    }

    /** Whether a shard takes no further part. */
    boolean hasFailed() {
        return shards.stream().anyMatch(RunningNode::hasFailed);
    }

    /** Whether every shard trusts the clocks. */
    boolean trustsClocks() {
        return shards.stream()
                .allMatch(shard -> shard.guard().trusts(shard.clock().read()));
    }

    int sum(ToIntFunction<RunningNode> count) {
        return shards.stream().mapToInt(count).sum();
    }

    /** Waits that long by the node's clock, or until it stops or fails. */
    void pause(Duration time) throws InterruptedException {
        first().pause(time);
    }
}
