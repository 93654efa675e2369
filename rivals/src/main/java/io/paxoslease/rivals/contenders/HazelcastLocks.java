package io.paxoslease.rivals.contenders;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.backends.Members;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hazelcast's IMap.lock; its CP subsystem needs a licence. */
final class HazelcastLocks implements Contender {

    private static final String NAME = "hazelcast";
    private static final int MEMBERS = 3;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String title() {
        return "Hazelcast, IMap.lock";
    }

    @Override
    public String settings() {
        return Contender.jar(Hazelcast.class)
                + ", three members inside the application, one backup; without a lease time";
    }

    @Override
    public Backend backend() {
        return new Members(NAME);
    }

    @Override
    public Set<Workload> workloads() {
        return EnumSet.allOf(Workload.class);
    }

    @Override
    public Client client(Site site, int index) {
        return index < MEMBERS ? member(site, index) : new Remote(HazelcastClient.newHazelcastClient(remote(site)));
    }

    /** With as few threads as it can be told to have. */
    private static ClientConfig remote(Site site) {
        ClientConfig config = new ClientConfig()
                .setClusterName(cluster(site))
                .setProperty("hazelcast.logging.type", "slf4j")
                .setProperty("hazelcast.client.event.thread.count", "1")
                .setProperty("hazelcast.client.io.input.thread.count", "1")
                .setProperty("hazelcast.client.io.output.thread.count", "1")
                .setProperty("hazelcast.client.response.thread.count", "1")
                .setProperty("hazelcast.client.metrics.enabled", "false");
        config.getNetworkConfig().setAddresses(site.addresses());
        return config;
    }

    private static String cluster(Site site) {
        return "rivals-" + site.port(0);
    }

    private static Client member(Site site, int index) {
        Config config = new Config()
                .setClusterName(cluster(site))
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "slf4j");
        config.getNetworkConfig().setPort(site.port(index)).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(site.addresses());
        return new LocalMember(Hazelcast.newHazelcastInstance(config));
    }

    private record Remote(HazelcastInstance hazelcast) implements Client {

        @Override
        public Mutex mutex(String key) {
            return HazelcastLocks.mutex(hazelcast, key);
        }

        @Override
        public void close() {
            hazelcast.getLifecycleService().terminate();
        }
    }

    private static Mutex mutex(HazelcastInstance hazelcast, String key) {
        IMap<String, String> map = hazelcast.getMap("locks");
        return new Mutex() {
            @Override
            public void lock() {
                map.lock(key);
            }

            @Override
            public void unlock() {
                map.unlock(key);
            }
        };
    }

    private record LocalMember(HazelcastInstance hazelcast) implements Client {

        @Override
        public void awaitReady() throws InterruptedException {
            // The first to ask for an owner has the partitions spread.
            while (hazelcast.getCluster().getMembers().size() < MEMBERS
                    || owner("any") == null
                    || !hazelcast.getPartitionService().isClusterSafe()) {
                Thread.sleep(50);
            }
        }

        @Override
        public String remoteKey(String key) {
            String remote = key;
            for (int i = 0; isLocal(remote); i++) {
                remote = key + i;
            }
            return remote;
        }

        private boolean isLocal(String key) {
            Member owner = owner(key);
            return owner != null && owner.localMember();
        }

        private @Nullable Member owner(String key) {
            return hazelcast.getPartitionService().getPartition(key).getOwner();
        }

        @Override
        public Mutex mutex(String key) {
            return HazelcastLocks.mutex(hazelcast, key);
        }

        @Override
        public void close() {
            hazelcast.getLifecycleService().terminate();
        }
    }
}
