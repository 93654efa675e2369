package io.paxoslease.rivals.shards;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.partition.Partition;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The main class of one process: a member of a Hazelcast cluster, which works on the partitions that it owns, as the entry processors of its
 * data would. It looks each millisecond who owns which, and writes a line for each begin and end, as the process of the benchmark of shards.
 */
public final class HazelcastShards {

    private static final int SHARDS = 2;
    private static final int WORK_MILLIS = 5;
    private static final int MEMBERS = 6;

    /** It advises modules, whatever it is told to log with. */
    private static final Logger QUIET = Logger.getLogger("com.hazelcast");

    private final HazelcastInstance hazelcast;
    private final List<Partition> partitions;
    private final long endMillis;
    private final BitSet owned = new BitSet();
    private final ScheduledExecutorService ends = Executors.newSingleThreadScheduledExecutor();

    private HazelcastShards(HazelcastInstance hazelcast, long endMillis) {
        this.hazelcast = hazelcast;
        this.partitions = new ArrayList<>(hazelcast.getPartitionService().getPartitions());
        this.endMillis = endMillis;
    }

    /** The arguments are those of the process of the benchmark; times of leases mean nothing here. */
    public static void main(String... args) throws IOException {
        QUIET.setLevel(Level.SEVERE);
        List<String> seeds = new ArrayList<>();
        int port = 0;
        for (int i = MEMBERS; i < args.length; i++) {
            String[] member = args[i].split("=", 2);
            seeds.add(member[1]);
            if (member[0].equals(args[0])) {
                port = Integer.parseInt(member[1].substring(member[1].indexOf(':') + 1));
            }
        }
        HazelcastInstance hazelcast = Hazelcast.newHazelcastInstance(config(port, seeds, args[SHARDS]));
        hazelcast.getMap("data").put("key", "value"); // the first access has the partitions spread
        HazelcastShards shards = new HazelcastShards(hazelcast, Long.parseLong(args[WORK_MILLIS]));
        ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
        looks.scheduleWithFixedDelay(shards::look, 0, 1, TimeUnit.MILLISECONDS);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> shards.stop(looks)));
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    private static Config config(int port, List<String> seeds, String partitions) {
        Config config = new Config()
                .setClusterName("shards-" + seeds.get(0))
                .setProperty("hazelcast.partition.count", partitions)
                .setProperty("hazelcast.shutdownhook.enabled", "false")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "slf4j");
        config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(seeds);
        return config;
    }

    /** Gracefully: the partitions move first. */
    private void stop(ScheduledExecutorService looks) {
        try {
            hazelcast.shutdown();
        } finally {
            looks.shutdown();
            look();
            ends.shutdown();
            awaitEnds();
        }
    }

    private void awaitEnds() {
        try {
            boolean unused = ends.awaitTermination(endMillis + 1_000, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void look() {
        for (Partition partition : partitions) {
            int index = partition.getPartitionId();
            boolean isOwned = isOwned(partition);
            if (isOwned != owned.get(index)) {
                owned.set(index, isOwned);
                if (isOwned) {
                    say("+", index);
                } else {
                    ends.schedule(() -> say("-", index), endMillis, TimeUnit.MILLISECONDS);
                }
            }
        }
    }

    private static boolean isOwned(Partition partition) {
        try {
            Member owner = partition.getOwner(); // asked once: another answer may be null
            return owner != null && owner.localMember();
        } catch (HazelcastInstanceNotActiveException ended) {
            return false;
        }
    }

    private static void say(String what, int index) {
        System.out.println(what + " " + index + " " + System.nanoTime());
    }
}
