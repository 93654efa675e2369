package io.paxoslease.rivals.contenders;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.Lock;
import io.etcd.jetcd.election.LeaderKey;
import io.grpc.stub.StreamObserver;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.backends.Etcd;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** etcd's locks and elections through jetcd: one lease for each client, kept alive. */
final class EtcdLocks implements Contender {

    /** That of etcd's own tools and client library for Go; jetcd has none. */
    private static final Duration TTL = Duration.ofSeconds(60);

    private static final Duration SHORT = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public String title() {
        return "etcd, jetcd Lock";
    }

    @Override
    public String settings() {
        return ("%s, three servers, %s; one lease for each client, ttl %d s, tuned %d s; a fair ReentrantLock for each key"
                        + " before it, as a lease may lock a key twice; fail-over: Election")
                .formatted(Contender.jar(Lock.class), backend().version(), TTL.toSeconds(), SHORT.toSeconds());
    }

    @Override
    public Backend backend() {
        return new Etcd();
    }

    @Override
    public Set<Workload> workloads() {
        return EnumSet.allOf(Workload.class);
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return tuning.time(TTL, SHORT);
    }

    @Override
    public Client client(Site site, int index) throws Exception {
        ClientBuilder builder = io.etcd.jetcd.Client.builder()
                .endpoints(site.addresses().stream()
                        .map(address -> "http://" + address)
                        .toArray(String[]::new));
        if (site.isCrowded()) {
            builder.executorService(Shared.THREADS).vertx(Shared.VERTX);
        }
        io.etcd.jetcd.Client etcd = builder.build();
        Duration ttl = site.tuning().time(TTL, SHORT);
        long lease = etcd.getLeaseClient().grant(ttl.toSeconds()).get().getID();
        etcd.getLeaseClient().keepAlive(lease, new Ignored<>());
        return new Leased(etcd, lease);
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /** What thousands of clients need only once. */
    private static final class Shared {
        static final ExecutorService THREADS = Executors.newCachedThreadPool();
        static final Vertx VERTX = Vertx.vertx(new VertxOptions().setUseDaemonThread(true));

        private Shared() {}
    }

    /** What one key needs to be unlocked. */
    private static final class Key {
        private final ReentrantLock local = new ReentrantLock(true);
        private final ByteSequence name;
        private @Nullable ByteSequence owned;

        Key(String name) {
            this.name = bytes(name);
        }
    }

    private static final class Leased implements Client {

        private final io.etcd.jetcd.Client etcd;
        private final long lease;
        private final Map<String, Key> keys = new ConcurrentHashMap<>();
        private @Nullable LeaderKey leader;

        Leased(io.etcd.jetcd.Client etcd, long lease) {
            this.etcd = etcd;
            this.lease = lease;
        }

        @Override
        public Mutex mutex(String name) {
            Key key = keys.computeIfAbsent(name, Key::new);
            Lock locks = etcd.getLockClient();
            return new Mutex() {
                @Override
                public void lock() throws Exception {
                    key.local.lock();
                    key.owned = locks.lock(key.name, lease).get().getKey();
                }

                @Override
                public void unlock() throws Exception {
                    ByteSequence owned = key.owned;
                    try {
                        if (owned != null) {
                            locks.unlock(owned).get();
                        }
                    } finally {
                        key.local.unlock();
                    }
                }
            };
        }

        @Override
        public void stand(String role, Runnable granted) throws Exception {
            leader = etcd.getElectionClient()
                    .campaign(bytes(role), lease, bytes("candidate"))
                    .get()
                    .getLeader();
            granted.run();
        }

        @Override
        public void resign(String role) throws Exception {
            if (leader != null) {
                etcd.getElectionClient().resign(leader).get();
            }
        }

        @Override
        public void close() {
            etcd.close();
        }
    }

    private static final class Ignored<T> implements StreamObserver<T> {

        @Override
        public void onNext(T value) {
            // The lease lives.
        }

        @Override
        public void onError(Throwable failure) {
            // The locks will say so.
        }

        @Override
        public void onCompleted() {
            // The process ends.
        }
    }
}
