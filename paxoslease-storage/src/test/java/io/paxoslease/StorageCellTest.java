package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.storage.SharedLeases;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.storage.StorageOptions.WriteMode;
import io.paxoslease.storage.StoreStatus;
import io.paxoslease.store.InMemoryRegister;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Leases, locks and elections of clients that meet in a store, in simulated time. */
class StorageCellTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration BOUND = Duration.ofMillis(100);

    /** Looking at a free lease, writing, waiting, and looking again. */
    private static final Duration TIME_TO_GRANT = BOUND.multipliedBy(3);

    /** A dead holder's lease, multiplied by gamma; the access bound; looking again. */
    private static final Duration TIME_TO_TAKE_OVER = LEASE.plus(BOUND.multipliedBy(5));

    private static InMemoryCell cell(WriteMode mode) {
        return cell(mode, BOUND, "a", "b");
    }

    private static InMemoryCell cell(WriteMode mode, Duration bound, String... ids) {
        return InMemoryCell.of(
                StorageOptions.builder(new InMemoryRegister())
                        .accessBound(bound)
                        .writeMode(mode)
                        .renewal(StorageOptions.Renewal.EVENTUAL)
                        .build(),
                LEASE,
                LEASE,
                ids);
    }

    private static CompletableFuture<Lease> ask(InMemoryCell cell, String node, AcquireOptions how) {
        return cell.node(node).acquire("r", how);
    }

    private static Lease take(InMemoryCell cell, String node, AcquireOptions how) {
        CompletableFuture<Lease> asked = ask(cell, node, how);
        cell.advance(TIME_TO_GRANT);
        assertThat(asked).isCompleted();
        return asked.join();
    }

    private static Lease share(InMemoryCell cell, String node) {
        CompletableFuture<Lease> asked = new SharedLeases(cell.node(node)).acquire("r", AcquireOptions.renewing());
        cell.advance(TIME_TO_GRANT);
        assertThat(asked).isCompleted();
        return asked.join();
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aLeaseIsRenewedAsLongAsItIsHeld(WriteMode mode) {
        try (InMemoryCell cell = cell(mode)) {
            Lease lease = take(cell, "a", AcquireOptions.renewing());
            CompletableFuture<Lease> other = ask(cell, "b", AcquireOptions.renewing());
            cell.advance(Duration.ofMinutes(1));
            assertThat(lease.isHeld()).isTrue();
            assertThat(other).isNotDone();
            assertThat(cell.node("b").monitor().status("r").orElseThrow().owner())
                    .isEqualTo("a");
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aReleasedLeaseIsSoonAnothersAndItsTokenIsHigher(WriteMode mode) {
        try (InMemoryCell cell = cell(mode)) {
            Lease lease = take(cell, "a", AcquireOptions.renewing());
            CompletableFuture<Lease> other = ask(cell, "b", AcquireOptions.renewing());
            lease.release();
            cell.advance(TIME_TO_GRANT.plus(BOUND));
            assertThat(other).isCompleted();
            assertThat(other.join().fencingToken()).isGreaterThan(lease.fencingToken());
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aCrashedHoldersLeaseIsTakenOverWhenItHasEndedAndNotBefore(WriteMode mode) {
        try (InMemoryCell cell = cell(mode)) {
            Lease lease = take(cell, "a", AcquireOptions.renewing());
            CompletableFuture<Lease> other = ask(cell, "b", AcquireOptions.renewing());
            cell.advance(BOUND);
            Duration left = lease.remaining();
            cell.crash("a");
            cell.advance(left);
            assertThat(other).isNotDone();
            cell.advance(TIME_TO_TAKE_OVER.minus(left).plus(TIME_TO_GRANT));
            assertThat(other).isCompleted();
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aHolderThatIsCutOffFromTheStoreLosesTheLeaseBeforeAnotherHasIt(WriteMode mode) {
        try (InMemoryCell cell = cell(mode)) {
            Lease lease = take(cell, "a", AcquireOptions.renewing());
            CompletableFuture<Lease> other = ask(cell, "b", AcquireOptions.renewing());
            cell.disconnect("a");
            while (!other.isDone()) {
                assertThat(lease.isHeld() && other.isDone()).isFalse();
                cell.advance(Duration.ofMillis(10));
            }
            assertThat(lease.isHeld()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aStoppedClientReleasesWhatItHolds(WriteMode mode) {
        try (InMemoryCell cell = cell(mode)) {
            take(cell, "a", AcquireOptions.renewing());
            cell.node("a").stop();
            assertThat(take(cell, "b", AcquireOptions.renewing()).isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void readersShareAndAWriterWaitsForTheLastOfThem(WriteMode mode) {
        try (InMemoryCell cell = cell(mode, BOUND, "a", "b", "c")) {
            Lease one = share(cell, "a");
            Lease two = share(cell, "b");
            CompletableFuture<Lease> writer = ask(cell, "c", AcquireOptions.renewing());
            cell.advance(Duration.ofSeconds(20));
            assertThat(one.isHeld() && two.isHeld()).isTrue();
            one.release();
            cell.advance(TIME_TO_TAKE_OVER.plus(TIME_TO_GRANT));
            assertThat(writer).as("one reader is left").isNotDone();
            two.release();
            cell.advance(TIME_TO_TAKE_OVER.plus(TIME_TO_GRANT).plus(BOUND));
            assertThat(writer).isCompleted();
            assertThat(writer.join().fencingToken()).isGreaterThan(two.fencingToken());
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aLockGoesToAnotherClientWhenItIsUnlocked(WriteMode mode) throws InterruptedException {
        try (InMemoryCell cell = cell(mode)) {
            LeaseLock lock = new LeaseLocks(cell.node("a"), LockOptions.defaults()).get("k");
            CompletableFuture<Boolean> locked = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                lock.lock();
                try {
                    locked.complete(true);
                } finally {
                    lock.unlock();
                }
            });
            thread.start();
            while (!locked.isDone()) {
                cell.advance(Duration.ofMillis(10));
            }
            thread.join();
            CompletableFuture<Lease> next = cell.node("b").acquire("lock:k", AcquireOptions.renewing());
            cell.advance(TIME_TO_GRANT);
            assertThat(next).as("it is not kept").isCompleted();
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aRoleGoesToAnotherCandidateWhenItsLeaderCrashes(WriteMode mode) {
        try (InMemoryCell cell = cell(mode)) {
            LeaderElection one = candidate(cell, "a");
            until(cell, one::isLeader);
            LeaderElection two = candidate(cell, "b");
            cell.crash("a");
            assertThat(one.isLeader()).isFalse();
            until(cell, two::isLeader);
            two.stop(Duration.ofSeconds(1));
            one.stop(Duration.ofSeconds(1));
        }
    }

    private static LeaderElection candidate(InMemoryCell cell, String node) {
        LeaderElection election = LeaderElection.builder(cell.node(node), "role")
                .resource("role")
                .build(new LeaderCandidate() {
                    @Override
                    public void onGranted(Leadership leadership) {}

                    @Override
                    public void onRevoked(Leadership leadership) {}
                });
        election.start();
        return election;
    }

    /** Another thread asks: it gets some real time at each step. */
    private static void until(InMemoryCell cell, BooleanSupplier condition) {
        for (int i = 0; i < 100_000 && !condition.getAsBoolean(); i++) {
            cell.advance(Duration.ofMillis(10));
            Thread.onSpinWait();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void theStoreIsInTheStatus() {
        try (InMemoryCell cell = cell(WriteMode.COMPARE_AND_SET)) {
            take(cell, "a", AcquireOptions.renewing());
            StoreStatus store = (StoreStatus)
                    Objects.requireNonNull(cell.node("a").monitor().status().algorithm());
            assertThat(store.description()).isEqualTo("a store in memory");
            assertThat(store.accessBound()).isEqualTo(BOUND);
            assertThat(store.accesses()).isEqualTo(2);
            assertThat(store.slow() + store.failed()).isZero();
            assertThat(store.problem()).isNull();
            assertThat(cell.node("a").monitor().messagesSent())
                    .containsEntry("read", 1L)
                    .containsEntry("compareandset", 1L);
        }
    }

    @Test
    void aLeaseTimeThatIsTooShortForTheAccessBoundIsRefused() {
        assertThatThrownBy(() -> cell(WriteMode.READ_WRITE, Duration.ofMillis(500), "a"))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("raise the lease time to at least 6");
        assertThat(StorageOptions.builder(new InMemoryRegister())
                        .accessBound(Duration.ofMillis(500))
                        .writeMode(WriteMode.COMPARE_AND_SET)
                        .renewal(StorageOptions.Renewal.EVENTUAL)
                        .build()
                        .accessBound())
                .isEqualTo(Duration.ofMillis(500));
        try (InMemoryCell cell = cell(WriteMode.READ_WRITE)) {
            assertThatThrownBy(() -> cell.node("a")
                            .acquire(
                                    "r",
                                    AcquireOptions.builder()
                                            .leaseTime(Duration.ofMillis(500))
                                            .build()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must last at least");
        }
    }

    @Test
    void thereAreNeitherRegistersNorVotes() {
        try (InMemoryCell cell = cell(WriteMode.COMPARE_AND_SET, BOUND, "a", "b")) {
            assertThat(cell.node("a").monitor().awaitedVote()).isEmpty();
            assertThat(cell.node("a").registers().read("slot"))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(UnsupportedOperationException.class)
                    .withMessageStartingWith(
                            "Registers are in the memory of the members, and with the algorithm 'storage' there are none");
            assertThat(cell.node("a").registers().raise("slot", 5)).isCompletedExceptionally();
        }
    }
}
