package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.node.HeldLease;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The limit on the end of a leadership when the process has no thread for a timer. */
class ElectedTermTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Executor WITHOUT_THREADS = task -> {
        throw new OutOfMemoryError("unable to create native thread");
    };

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
    private LogCapture log;

    @BeforeEach
    void start() {
        log = LogCapture.of(ElectedTerm.class);
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop();
        log.close();
    }

    /** The candidate of this term never finishes: nothing but the limit releases its lease. */
    @Test
    void withoutAThreadForTheTimerTheNodesThreadKeepsTheLimit() throws InterruptedException {
        HeldLease lease = (HeldLease) Futures.get(node.acquire("role:x", RENEWING));
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);
        ElectedTerm term = new ElectedTerm("x", lease, patience -> WITHOUT_THREADS);

        term.end(ElectedTerm.End.RESIGNED, Duration.ofMillis(50));

        assertThat(term.isLeader()).isFalse();
        Futures.get(other).release();
        assertThat(lease.isHeld()).isFalse();
        assertThat(log.warnings(""))
                .containsExactly(
                        "WARN No timer thread: the thread of the node limits the end of the leadership of 'x'",
                        "WARN Work on the leader of role 'x' is still running PT0.05S after revocation; releasing its lease");
    }

    @Test
    void theNodesThreadReleasesNothingBeforeTheLimit() throws InterruptedException {
        HeldLease lease = (HeldLease) Futures.get(node.acquire("role:x", RENEWING));
        ElectedTerm term = new ElectedTerm("x", lease, patience -> WITHOUT_THREADS);

        term.end(ElectedTerm.End.STOPPED, Duration.ofHours(1));
        node.status(); // the node's thread has come to what was handed to it before

        assertThat(term.isLeader()).isFalse();
        assertThat(lease.isHeld()).isTrue();
        term.release();
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void withoutAThreadOfTheCommonPoolTheTimersOwnReleases() {
        List<String> released = new ArrayList<>();

        ElectedTerm.runSomewhere(
                WITHOUT_THREADS,
                () -> released.add("by " + Thread.currentThread().getName()));

        assertThat(released).containsExactly("by " + Thread.currentThread().getName());
    }
}
