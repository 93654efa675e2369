package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CellOfOneTest {

    private static final AcquireOptions ONCE =
            AcquireOptions.builder().maxWait(Duration.ZERO).build();

    @Test
    void aNodeAloneServesAtOnce() throws InterruptedException {
        try (LogCapture log = LogCapture.ofNode();
                PaxosLease node = started()) {
            Lease lease = node.tryAcquire("r", ONCE).orElseThrow();

            assertThat(lease.isHeld()).isTrue();
            assertThat(node.tryAcquire("r", ONCE)).isEmpty();
            lease.release();
            assertThat(node.tryAcquire("r", ONCE)).isPresent();
            assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
            assertThat(node.monitor().status().peers()).isEmpty();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "INFO Node 'solo' is a cell of one: it leads every role and shares its locks with no other process.")
                    .contains("list them all as peers");
        }
    }

    /** The operator may have forgotten to list the other instances. */
    @Test
    void aNodeThatIsItsOnlyPeerSaysThatItIsACellOfOne() throws InterruptedException {
        try (LogCapture log = LogCapture.ofNode();
                PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("a")
                        .peer("a", "127.0.0.1:" + FreePorts.next())
                        .build())) {
            node.start();

            assertThat(node.tryAcquire("r", ONCE)).isPresent();
            assertThat(log.lines())
                    .containsExactly(
                            "INFO Node 'a' is a cell of one: it leads every role and shares its locks with no other process."
                                    + " To form a cell with other instances, list them all as peers, this one included"
                                    + " (nodeId and peers)");
        }
    }

    @Test
    void aNodeAloneServesAtOnceAfterARestart() throws InterruptedException {
        try (PaxosLease node = started()) {
            assertThat(node.tryAcquire("r", ONCE)).isPresent();
            node.stop();
            node.start();

            assertThat(node.tryAcquire("r", ONCE)).isPresent();
        }
    }

    /** Also within one tick of the wall clock, from which counters are drawn. */
    @Test
    void fencingTokensGoOnIncreasingFromLifeToLife() throws InterruptedException {
        long last = 0;
        try (PaxosLease node = started()) {
            for (int i = 0; i < 100; i++) {
                long token = node.tryAcquire("r", ONCE).orElseThrow().fencingToken();
                assertThat(token).isGreaterThan(last);
                last = token;
                node.stop();
                node.start();
            }
        }
    }

    /** Else a lease of the life before would be held beside one of the life after. */
    @Test
    void anInterruptedStopEndsEveryLease() throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            try (PaxosLease node = started()) {
                Lease lease = node.tryAcquire("r", ONCE).orElseThrow();
                for (int j = 0; j < 200; j++) {
                    node.acquire("other" + j, ONCE);
                }
                Thread.currentThread().interrupt();
                node.stop();

                assertThat(Thread.interrupted()).isTrue();
                assertThat(lease.isHeld()).isFalse();
                node.start();
                assertThat(node.tryAcquire("r", ONCE)).isPresent();
                assertThat(lease.isHeld()).isFalse();
            }
        }
    }

    @Test
    void aNodeAloneOpensNoSocket() throws IOException, InterruptedException {
        int port = FreePorts.next();
        try (ServerSocket occupied = RawConnection.listen(port);
                PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("solo")
                        .peer("solo", "127.0.0.1:" + port)
                        .build())) {
            node.start();
            assertThat(occupied.isBound()).isTrue();
            assertThat(node.tryAcquire("r", ONCE)).isPresent();
        }
    }

    /** A wait that is shorter than the time to ask must not be worse than asking without any wait. */
    @Test
    void aFreeLeaseIsGrantedHoweverShortTheWait() throws InterruptedException {
        try (PaxosLease node = started()) {
            AcquireOptions shortest =
                    AcquireOptions.builder().maxWait(Duration.ofNanos(1)).build();

            assertThat(node.tryAcquire("r", shortest)).isPresent();
        }
    }

    @Test
    void aWaitOfAnyLengthIsAccepted() throws InterruptedException {
        try (PaxosLease node = started()) {
            for (Duration wait : new Duration[] {
                Duration.ofNanos(-1),
                Duration.ofSeconds(Long.MIN_VALUE),
                Duration.ofDays(365),
                Duration.ofNanos(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE)
            }) {
                node.tryAcquire("r", AcquireOptions.builder().maxWait(wait).build())
                        .orElseThrow()
                        .release();
            }
        }
    }

    @Test
    void manyRequestsAtOnceAreAllServed() throws InterruptedException {
        try (PaxosLease node = started()) {
            CompletableFuture<?>[] all = new CompletableFuture<?>[5_000];
            for (int i = 0; i < all.length; i++) {
                all[i] = node.acquire("r" + i % 50, AcquireOptions.renewing()).thenAccept(Lease::release);
            }
            Futures.get(CompletableFuture.allOf(all));
            assertThat(node.monitor().resources()).isEmpty();
        }
    }

    /** Every acquire moves the node's timer: with a long lease time, cancelled timers would pile up for hours. */
    @Test
    void aCancelledTimerLeavesNothingBehind() {
        ScheduledExecutorService loop = StartedNodes.environment(
                        PaxosLeaseOptions.builder("solo").build())
                .loop();
        Future<?> timer = loop.schedule(() -> {}, 1, TimeUnit.HOURS);
        timer.cancel(false);

        assertThat(loop.shutdownNow()).isEmpty();
    }

    private static PaxosLease started() {
        PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
        node.start();
        return node;
    }
}
