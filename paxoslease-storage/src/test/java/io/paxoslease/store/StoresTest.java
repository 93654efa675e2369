package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.consensus.Consensus;
import io.paxoslease.consensus.LeaseOracle;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.storage.StorageOptions.WriteMode;
import io.paxoslease.storage.StoreStatus;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three clients on real stores and real clocks: locks, an election, and consensus. */
@Tag("slow")
class StoresTest {

    private static final int CLIENTS = 3;
    private static final int TURNS = 2;
    private static final Duration BOUND = Duration.ofMillis(100);
    private static final Duration LEASE_TIME = Duration.ofMillis(1_500);
    /** An access that takes longer than the bound costs a lease, and some may. */
    private static final Duration SLOW = Duration.ofSeconds(60);

    private static final int MOST_PROPOSALS = 100;

    @TempDir
    private Path directory = Path.of("");

    private final List<PaxosLease> nodes = new ArrayList<>();

    @Test
    void overOneDirectory() throws IOException, InterruptedException, ExecutionException {
        run(() -> new DirectoryRegister(directory), WriteMode.READ_WRITE, () -> {});
    }

    @Test
    void overATableByComparing() throws IOException, InterruptedException, ExecutionException {
        runOverTable(WriteMode.COMPARE_AND_SET);
    }

    @Test
    void overATableByReadingAndWriting() throws IOException, InterruptedException, ExecutionException {
        runOverTable(WriteMode.READ_WRITE);
    }

    private void runOverTable(WriteMode mode) throws IOException, InterruptedException, ExecutionException {
        JdbcConnectionPool pool =
                JdbcConnectionPool.create("jdbc:h2:mem:stores-" + mode + ";DB_CLOSE_DELAY=-1", "sa", "");
        try {
            run(() -> new JdbcRegister(pool).withInitializedSchema().withAccessBound(BOUND), mode, () -> {});
        } finally {
            pool.dispose();
        }
    }

    @Test
    void overThreeStoresOfWhichOneDies() throws IOException, InterruptedException, ExecutionException {
        Path first = Files.createDirectory(directory.resolve("1"));
        Path second = Files.createDirectory(directory.resolve("2"));
        MapRegister third = new MapRegister("dying", true);
        run(
                () -> new ReliableRegister(
                        List.of(new DirectoryRegister(first), new DirectoryRegister(second), third),
                        BOUND.dividedBy(2),
                        new SplittableRandom()),
                WriteMode.READ_WRITE,
                () -> third.fault(MapRegister.FAILS));
    }

    /** @param trouble happens once, while clients fight for the lock */
    private void run(Supplier<Register> stores, WriteMode mode, Runnable trouble)
            throws IOException, InterruptedException, ExecutionException {
        try {
            for (int i = 0; i < CLIENTS; i++) {
                nodes.add(started("client-" + i, stores.get(), mode));
            }
            countUnderALock(trouble);
            electOneAfterTheOther();
            agree(stores);
        } finally {
            nodes.forEach(PaxosLease::stop);
        }
    }

    private static PaxosLease started(String id, Register store, WriteMode mode) {
        PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder(id)
                .algorithm(StorageOptions.builder(store)
                        .accessBound(BOUND)
                        .writeMode(mode)
                        .build())
                .leaseTime(LEASE_TIME)
                .maxLeaseTime(LEASE_TIME)
                .build());
        node.start();
        return node;
    }

    private void countUnderALock(Runnable trouble) throws InterruptedException, ExecutionException {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int[] count = {0}; // what the lock protects
        List<Background<Boolean>> users = new ArrayList<>();
        for (PaxosLease node : nodes) {
            LeaseLock lock = new LeaseLocks(node, LockOptions.defaults()).get("counter");
            users.add(Background.start(() -> {
                for (int i = 0; i < TURNS; i++) {
                    lock.lock();
                    try {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        count[0]++;
                        if (count[0] == TURNS) {
                            trouble.run();
                        }
                        inside.decrementAndGet();
                    } finally {
                        lock.unlock();
                    }
                }
                return true;
            }));
        }
        Eventually.until("all have had their turns", SLOW, () -> users.stream().allMatch(Background::isDone));
        for (Background<Boolean> user : users) {
            assertThat(user.result()).isTrue();
        }
        if (nodes.stream().allMatch(StoresTest::keptTheBound)) { // else nothing is promised to who reads and writes
            assertThat(most).hasValue(1);
            assertThat(count[0]).isEqualTo(CLIENTS * TURNS);
        }
    }

    private static boolean keptTheBound(PaxosLease node) {
        NodeStatus status = node.monitor().status();
        StoreStatus store = (StoreStatus) status.algorithm();
        return store != null && store.max().compareTo(BOUND) < 0;
    }

    private void electOneAfterTheOther() {
        List<LeaderElection> elections = new ArrayList<>();
        for (PaxosLease node : nodes) {
            LeaderElection election = LeaderElection.builder(node, "test").build(new Silent());
            election.start();
            elections.add(election);
        }
        Eventually.until("one leads", SLOW, () -> leaders(elections) == 1);
        LeaderElection first =
                elections.stream().filter(LeaderElection::isLeader).findFirst().orElseThrow();
        first.close();
        elections.remove(first);
        Eventually.until("the next one leads", SLOW, () -> leaders(elections) == 1);
        elections.forEach(LeaderElection::close);
    }

    private static long leaders(List<LeaderElection> elections) {
        return elections.stream().filter(LeaderElection::isLeader).count();
    }

    private void agree(Supplier<Register> stores) throws InterruptedException, ExecutionException {
        List<Background<byte[]>> proposals = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            byte[] own = {(byte) i};
            PaxosLease node = nodes.get(i);
            proposals.add(Background.start(() -> {
                try (LeaseOracle oracle = new LeaseOracle(node, "agreement")) {
                    return decided(
                            Consensus.over(stores.get(), "agreed", oracle, BOUND.dividedBy(10), new SplittableRandom()),
                            own);
                }
            }));
        }
        Eventually.until("all have decided", SLOW, () -> proposals.stream().allMatch(Background::isDone));
        byte[] decided = proposals.get(0).result();
        assertThat(decided).hasSize(1);
        assertThat((int) decided[0]).isBetween(0, CLIENTS - 1);
        for (Background<byte[]> proposal : proposals) {
            assertThat(proposal.result()).isEqualTo(decided);
        }
    }

    /** A store may take longer than its bound: then the outcome is not known, and it is proposed again. */
    private static byte[] decided(Consensus consensus, byte[] own) throws IOException, InterruptedException {
        for (int i = 0; ; i++) {
            try {
                return consensus.propose(own);
            } catch (IOException late) {
                if (i == MOST_PROPOSALS) {
                    throw late;
                }
            }
        }
    }

    private static final class Silent implements LeaderCandidate {
        @Override
        public void onGranted(Leadership leadership) {}

        @Override
        public void onRevoked(Leadership leadership) {}
    }
}
