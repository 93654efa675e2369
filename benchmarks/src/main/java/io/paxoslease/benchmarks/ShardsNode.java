package io.paxoslease.benchmarks;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardOptions;
import io.paxoslease.shards.ShardWorker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The main class of one process of the benchmark of shards: nodes that participate in one group. It writes a line for each begin ({@code +}) and
 * end ({@code -}) of work, with the index and the time of {@link System#nanoTime}, which all processes of a machine share on Linux. It
 * answers each line of its standard input with the number of messages that its first node has sent, and ends with it.
 */
public final class ShardsNode {

    /** What it says of a shard. */
    static final Pattern LINE = Pattern.compile("[+-] \\d+ -?\\d+");

    private static final int MEMBERS = 6;

    private ShardsNode() {}

    /**
     * Takes the id of the first node, how many nodes there are in this process, the number of shards, the lease time and the settle time in
     * milliseconds, how long work takes to end in milliseconds, and each member as {@code name=host:port}.
     */
    public static void main(String... args) throws IOException, InterruptedException {
        Map<String, String> peers = new LinkedHashMap<>();
        for (int i = MEMBERS; i < args.length; i++) {
            String[] member = args[i].split("=", 2);
            peers.put(member[0], member[1]);
        }
        Duration leaseTime = Duration.ofMillis(Long.parseLong(args[3]));
        ShardOptions options = ShardOptions.builder()
                .settleTime(Duration.ofMillis(Long.parseLong(args[4])))
                .build();
        int nodes = Integer.parseInt(args[1]);
        List<PaxosLease> started = new ArrayList<>();
        List<ShardGroup> groups = new ArrayList<>();
        IntStream.range(0, nodes).forEach(i -> {
            String id = i == 0 ? args[0] : args[0] + "-" + i;
            PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder(id)
                    .peers(peers)
                    .mode(peers.containsKey(id) ? NodeMode.MEMBER : NodeMode.CLIENT)
                    .application("benchmark")
                    .leaseTime(leaseTime)
                    .maxLeaseTime(leaseTime)
                    .build());
            started.add(node);
            groups.add(ShardGroup.builder(node, "benchmark", Integer.parseInt(args[2]))
                    .options(options)
                    .worker(new Worker(Long.parseLong(args[5])))
                    .build());
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            groups.parallelStream().forEach(ShardGroup::close);
            started.forEach(PaxosLease::close);
        }));
        started.forEach(PaxosLease::start);
        groups.forEach(ShardGroup::start);
        MeasuredProcess.answer(() -> started.get(0).monitor().messagesSent().values().stream()
                .mapToLong(Long::longValue)
                .sum());
    }

    private record Worker(long endMillis) implements ShardWorker {

        @Override
        public void work(Shard shard) throws InterruptedException {
            System.out.println("+ " + shard.index() + " " + System.nanoTime());
            new CountDownLatch(1).await();
        }

        @Override
        public void onRevoked(Shard shard) {
            try {
                Thread.sleep(endMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            System.out.println("- " + shard.index() + " " + System.nanoTime());
        }
    }
}
