package io.paxoslease.rivals.contenders;

import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.backends.ZooKeeper;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/** Curator's mutex and leader latch over ZooKeeper. */
final class CuratorLocks implements Contender {

    /** Curator asks for 60 s; the servers grant twenty ticks of two seconds. */
    private static final Duration SESSION = Duration.ofSeconds(40);

    private static final Duration SHORT = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "curator";
    }

    @Override
    public String title() {
        return "ZooKeeper, Curator InterProcessMutex";
    }

    @Override
    public String settings() {
        return "%s, three servers of %s, forceSync=no; session %d s, tuned %d s; fail-over: LeaderLatch"
                .formatted(
                        Contender.jar(InterProcessMutex.class),
                        backend().version(),
                        SESSION.toSeconds(),
                        SHORT.toSeconds());
    }

    @Override
    public Backend backend() {
        return new ZooKeeper();
    }

    @Override
    public Set<Workload> workloads() {
        return EnumSet.allOf(Workload.class);
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return tuning.time(SESSION, SHORT);
    }

    @Override
    public Client client(Site site, int index) {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(String.join(",", site.addresses()))
                .retryPolicy(new ExponentialBackoffRetry(100, 10));
        if (site.tuning() != Tuning.DEFAULT) {
            builder.sessionTimeoutMs((int) leaseTime(site.tuning()).toMillis());
        }
        CuratorFramework curator = builder.build();
        curator.start();
        return new Session(curator);
    }

    private static final class Session implements Client {

        private final CuratorFramework curator;
        /** Whoever unlocks needs the object that was locked. */
        private final Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();

        private @Nullable LeaderLatch latch;

        Session(CuratorFramework curator) {
            this.curator = curator;
        }

        @Override
        public void awaitReady() throws InterruptedException {
            if (!curator.blockUntilConnected(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("No connection to ZooKeeper");
            }
        }

        @Override
        public Mutex mutex(String key) {
            InterProcessMutex mutex =
                    mutexes.computeIfAbsent(key, absent -> new InterProcessMutex(curator, "/locks/" + absent));
            return new Mutex() {
                @Override
                public void lock() throws Exception {
                    mutex.acquire();
                }

                @Override
                public void unlock() throws Exception {
                    mutex.release();
                }
            };
        }

        @Override
        public void stand(String role, Runnable granted) throws Exception {
            LeaderLatch started = new LeaderLatch(curator, "/leaders/" + role);
            started.addListener(new LeaderLatchListener() {
                @Override
                public void isLeader() {
                    granted.run();
                }

                @Override
                public void notLeader() {
                    // Nothing to tidy up.
                }
            });
            latch = started;
            started.start();
        }

        @Override
        public void resign(String role) throws Exception {
            if (latch != null) {
                latch.close();
            }
        }

        @Override
        public void close() {
            curator.close();
        }
    }
}
