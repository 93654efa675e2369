package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.Gate;
import io.paxoslease.testing.NodeProcess;
import io.paxoslease.testing.TestCell;
import io.paxoslease.testing.Timings;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The next process of node b boots while the last one serves, and starts its node as soon as the last one has died (A0). Nodes a and b, and
 * b and c reach each other; a and c do not.
 */
@Tag("slow")
class OverlappingRestartTest {

    private static final Duration LEASE_TIME = Duration.ofSeconds(5);
    private static final AcquireOptions FOR_ONE_LEASE =
            AcquireOptions.builder().leaseTime(LEASE_TIME).renewed(false).build();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TestCell cell = TestCell.of(LEASE_TIME, "a", "b", "c");
    private Gate betweenAAndC;
    private Gate fromCToB;

    @BeforeEach
    void open() throws IOException {
        betweenAAndC = Gate.to(1);
        betweenAAndC.shut();
        fromCToB = Gate.to(
                PeerAddress.parse("peers", "b", cell.addresses().get("b")).getPort());
        fromCToB.shut();
    }

    @AfterEach
    void close() throws IOException {
        cell.close();
        betweenAAndC.close();
        fromCToB.close();
    }

    @Test
    void aLeaseOfTheLastProcessIsOverBeforeTheNextOneGrants() throws Exception {
        Map<String, String> ofAAndB = new LinkedHashMap<>(cell.addresses());
        ofAAndB.put("c", "127.0.0.1:" + betweenAAndC.port());
        Map<String, String> ofC = new LinkedHashMap<>(cell.addresses());
        ofC.put("a", "127.0.0.1:" + betweenAAndC.port());
        ofC.put("b", "127.0.0.1:" + fromCToB.port());
        PaxosLease a = cell.start(options("a", ofAAndB));
        PaxosLease c = cell.start(options("c", ofC));
        PaxosLeaseOptions ofB = cell.options("b").build();
        try (NodeProcess last = NodeProcess.boot(ofB, ofAAndB);
                NodeProcess next = NodeProcess.boot(ofB, ofAAndB)) {
            last.start();
            Lease lease = a.acquire("warm-up", FOR_ONE_LEASE).get(LIMIT.toSeconds(), TimeUnit.SECONDS); // a and b serve
            lease.release();
            Eventually.until(
                    "the next process has booted for longer than a quarantine",
                    LIMIT,
                    () -> next.age().toNanos() > Timings.of(ofB).quarantineNanos()
                            && c.monitor().status().state() == NodeStatus.State.SERVING);

            Lease byA = Futures.get(a.acquire("x", FOR_ONE_LEASE));
            CompletableFuture<Boolean> byCWhileAHolds =
                    c.acquire("x", FOR_ONE_LEASE).thenApply(granted -> byA.isHeld());
            last.kill();
            next.start();
            fromCToB.open();

            assertThat(byCWhileAHolds).succeedsWithin(LIMIT).isEqualTo(false);
        }
    }

    private PaxosLeaseOptions options(String id, Map<String, String> addresses) {
        return PaxosLeaseOptions.builder(id)
                .peers(addresses)
                .cell(cell.name())
                .leaseTime(LEASE_TIME)
                .maxLeaseTime(LEASE_TIME)
                .build();
    }
}
