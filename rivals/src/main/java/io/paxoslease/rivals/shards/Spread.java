package io.paxoslease.rivals.shards;

import io.paxoslease.benchmarks.ShardsBenchmark;
import io.paxoslease.benchmarks.ShardsNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The same stops and kills for each product that spreads work. */
public final class Spread {

    private Spread() {}

    /**
     * Measures one product after the other.
     *
     * @param args options of the benchmark of shards
     */
    public static void run(String... args) throws IOException, InterruptedException {
        Map<String, Class<?>> products = new LinkedHashMap<>();
        products.put("PaxosLease, a group of shards", ShardsNode.class);
        products.put("Hazelcast, the partitions whose data a member has", HazelcastShards.class);
        ShardsBenchmark.run(products, args);
    }
}
