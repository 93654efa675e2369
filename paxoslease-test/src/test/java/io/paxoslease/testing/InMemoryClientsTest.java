package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AcquireOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of an in-memory cell. */
@Tag("slow")
@Timeout(60) // a test hangs if it does not move the clock
class InMemoryClientsTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE =
            RENEWING.toBuilder().maxWait(Duration.ZERO).build();

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    @Test
    void aClientBesideThreeMembersIsServed() throws InterruptedException {
        PaxosLease client = cell.addClient("x");
        Lease lease = client.tryAcquire("r", ONCE).orElseThrow();
        cell.advance(Duration.ofDays(1));

        assertThat(lease.isHeld()).isTrue();
        assertThat(cell.node("a").monitor().status("r").orElseThrow().owner()).isEqualTo("x");
        assertThat(cell.node("x")).isSameAs(client);
        assertThat(client.monitor().options().mode()).isEqualTo(NodeMode.CLIENT);
        assertThat(client.monitor().status().peers()).hasSize(3).allMatch(PeerStatus::connected);
        assertThat(cell.node("a").monitor().status().peers()).as("members only").hasSize(2);
        assertThat(cell.node("a").monitor().clients())
                .contains(new ClientCounts(1, PaxosLeaseOptions.DEFAULT_MAX_CLIENTS, Map.of("x", 1)));
        assertThat(client.monitor().clients()).isEmpty();
    }

    /** The clock stands still but for the microseconds of the attempts, so nothing is renewed: the members tell the one that retains it. */
    @Test
    void aRetainedLockGoesFromClientToClientWithoutARenewal() {
        LockOptions retained =
                LockOptions.builder().idleRetention(Duration.ofHours(1)).build();
        PaxosLease x = cell.addClient("x");
        PaxosLease y = cell.addClient("y");
        List<LeaseLock> locks = List.of(new LeaseLocks(x, retained).get("k"), new LeaseLocks(y, retained).get("k"));
        for (int i = 0; i < 10; i++) {
            LeaseLock lock = locks.get(i % 2);
            assertThat(lock.tryLock()).as("hand-over %d", i).isTrue();
            assertThat(locks.get((i + 1) % 2).tryLock()).as("in use").isFalse();
            lock.unlock();
        }
        assertThat(x.monitor().messagesSent()).containsEntry("extend", 0L);
        assertThat(x.monitor().messagesSent().get("stillinuse")).isPositive();
        assertThat(x.monitor().messagesReceived().get("wanted")).isPositive();
    }

    @Test
    void aClientThatCrashesIsOutlivedByItsLease() throws InterruptedException {
        cell.addClient("x");
        cell.addClient("y");
        Lease lease = cell.node("x").tryAcquire("r", ONCE).orElseThrow();
        CompletableFuture<Lease> waiting = cell.node("y").acquire("r", RENEWING);
        cell.crash("x");
        assertThat(lease.isHeld()).isFalse();
        cell.advance(Duration.ofSeconds(2));
        assertThat(waiting).isNotDone();
        cell.advance(Duration.ofSeconds(2));
        assertThat(waiting.join().isHeld()).isTrue();
        cell.restart("x");
        assertThat(cell.node("x").tryAcquire("s", ONCE))
                .as("a client needs no quarantine")
                .isPresent();
    }

    @Test
    void aClientThatIsCutOffLosesItsLease() throws InterruptedException {
        cell.addClient("x");
        Lease lease = cell.node("x").tryAcquire("r", ONCE).orElseThrow();
        List<LossReason> lost = new CopyOnWriteArrayList<>();
        lease.onLost((which, reason) -> lost.add(reason));
        cell.disconnect("x");
        cell.advance(Duration.ofSeconds(4));
        assertThat(lost).containsExactly(LossReason.EXPIRED);
        assertThat(cell.node("a").tryAcquire("r", ONCE)).isPresent();
        cell.reconnect("x");
        assertThat(cell.node("x").tryAcquire("s", ONCE)).isPresent();
    }

    @Test
    void aHundredClientsGetTheLeaseOneAfterTheOther() {
        List<String> granted = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 100; i++) {
            String id = "x" + i;
            cell.addClient(id).acquire("r", RENEWING).thenAccept(lease -> {
                granted.add(id);
                lease.release();
            });
        }
        cell.advance(Duration.ofMinutes(5));
        assertThat(granted).doesNotHaveDuplicates().hasSize(100);
    }

    @Test
    void theOnlyMemberIsQuarantinedOnceItHasHadClients() {
        assertThat(new ClientOfOne().get()).isEmpty();
    }

    @Test
    void theSameTokensComeInEveryRun() throws InterruptedException {
        List<List<Long>> runs = new ArrayList<>();
        for (int run = 0; run < 3; run++) {
            try (InMemoryCell same = InMemoryCell.of("a", "b", "c")) {
                same.addClient("x");
                same.addClient("y");
                Lease first = same.node("x").tryAcquire("r", ONCE).orElseThrow();
                CompletableFuture<Lease> next = same.node("y").acquire("r", RENEWING);
                same.advance(Duration.ofSeconds(5));
                first.release();
                runs.add(List.of(first.fencingToken(), next.join().fencingToken()));
            }
        }
        assertThat(runs.get(1)).isEqualTo(runs.get(0));
        assertThat(runs.get(2)).isEqualTo(runs.get(0));
    }

    @Test
    void whatCannotBeAClientIsRefused() {
        cell.addClient("x");
        assertThatThrownBy(() -> cell.addClient("x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has a node 'x'");
        assertThatThrownBy(() -> cell.addClient("a")).isInstanceOf(InvalidOptionException.class);
        assertThatThrownBy(() -> cell.addClient("two words")).isInstanceOf(InvalidOptionException.class);
    }
}
