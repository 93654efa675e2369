package io.paxoslease.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.storage.StorageOptions.WriteMode;
import io.paxoslease.store.InMemoryRegister;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The leader oracle of Chockler and Malkhi: contend for the lease, lead, renew it, and contend again when it is lost.
 *
 * <p>Different here: {@code isLeader} compares the lease's deadline with the clock at each call, so a client that stood still knows at once
 * that it leads no more; and a closed oracle releases the lease.
 */
class StoragePaperOracleTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration BOUND = Duration.ofMillis(100);

    private static InMemoryCell cell(WriteMode mode) {
        return InMemoryCell.of(
                StorageOptions.builder(new InMemoryRegister())
                        .accessBound(BOUND)
                        .writeMode(mode)
                        .renewal(StorageOptions.Renewal.EVENTUAL)
                        .build(),
                LEASE,
                LEASE,
                "a",
                "b");
    }

    /** The oracle's own thread asks: it gets some real time at each step. */
    private static void until(InMemoryCell cell, BooleanSupplier condition) {
        Eventually.until("it comes true", () -> {
            cell.advance(Duration.ofMillis(10));
            return condition.getAsBoolean();
        });
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aClientThatIsAloneComesToLeadAndRenewsTheLease(WriteMode mode) {
        try (InMemoryCell cell = cell(mode);
                LeaseOracle oracle = new LeaseOracle(cell.node("a"), "leader")) {
            until(cell, oracle::isLeader);
            for (int i = 0; i < 20; i++) {
                cell.advance(LEASE);
                assertThat(oracle.isLeader()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void ofSeveralClientsOneLeads(WriteMode mode) {
        try (InMemoryCell cell = cell(mode);
                LeaseOracle one = new LeaseOracle(cell.node("a"), "leader");
                LeaseOracle two = new LeaseOracle(cell.node("b"), "leader")) {
            until(cell, () -> one.isLeader() || two.isLeader());
            boolean first = one.isLeader();
            for (int i = 0; i < 300; i++) {
                cell.advance(BOUND);
                assertThat(List.of(one.isLeader(), two.isLeader())).containsExactly(first, !first);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void whenTheLeaderCrashesAnotherLeads(WriteMode mode) {
        try (InMemoryCell cell = cell(mode);
                LeaseOracle one = new LeaseOracle(cell.node("a"), "leader")) {
            until(cell, one::isLeader);
            try (LeaseOracle two = new LeaseOracle(cell.node("b"), "leader")) {
                cell.crash("a");
                until(cell, two::isLeader);
                assertThat(one.isLeader()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aClientThatLostTheLeaseContendsAgain(WriteMode mode) {
        try (InMemoryCell cell = cell(mode);
                LeaseOracle oracle = new LeaseOracle(cell.node("a"), "leader")) {
            until(cell, oracle::isLeader);
            cell.disconnect("a");
            cell.advance(LEASE.plus(BOUND));
            assertThat(oracle.isLeader()).isFalse();
            cell.reconnect("a");
            until(cell, oracle::isLeader);
        }
    }

    /** Its process stands still: no thread of it can tell it that its time is over. */
    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aLeaderWhoseDeadlineHasPassedSaysNo(WriteMode mode) {
        try (InMemoryCell cell = cell(mode);
                LeaseOracle oracle = new LeaseOracle(cell.node("a"), "leader")) {
            until(cell, oracle::isLeader);
            cell.suspend("a");
            cell.advance(LEASE);
            assertThat(oracle.isLeader()).isFalse();
            cell.resume("a");
        }
    }

    @ParameterizedTest
    @EnumSource(WriteMode.class)
    void aClosedOracleLeadsNoMoreAndReleasesTheLease(WriteMode mode) {
        try (InMemoryCell cell = cell(mode)) {
            LeaseOracle oracle = new LeaseOracle(cell.node("a"), "leader");
            until(cell, oracle::isLeader);
            CompletableFuture<Lease> other = cell.node("b").acquire("leader", AcquireOptions.renewing());
            cell.advance(LEASE);
            oracle.close();
            assertThat(oracle.isLeader()).isFalse();
            cell.advance(BOUND.multipliedBy(4));
            assertThat(other).isCompleted();
        }
    }
}
