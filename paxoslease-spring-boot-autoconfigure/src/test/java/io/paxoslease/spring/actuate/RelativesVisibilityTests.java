package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.paxoslease.AcquireOptions;
import io.paxoslease.Algorithm;
import io.paxoslease.FleaseOptions;
import io.paxoslease.InMemoryCell;
import io.paxoslease.Lease;
import io.paxoslease.NodeStatus;
import io.paxoslease.StorageOptions;
import io.paxoslease.spring.actuate.LeaseDescriptor.OwnerDescriptor;
import io.paxoslease.spring.actuate.LeasesDescriptor.StoreDescriptor;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** What the endpoint, health and meters show of Flease and of leases in shared storage. */
@Timeout(60)
class RelativesVisibilityTests {

    private static final String LEASE = "role:x";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static InMemoryCell flease() {
        return InMemoryCell.of(FleaseOptions.defaults(), "a", "b", "c");
    }

    private static InMemoryCell storage() {
        return InMemoryCell.overStorage(
                StorageOptions.Form.COMPARE_AND_SET, Duration.ofSeconds(3), Duration.ofMillis(100), "a", "b");
    }

    private static LeasesEndpoint endpoint(InMemoryCell cell, String node) {
        return new LeasesEndpoint(cell.node(node));
    }

    private static @Nullable OwnerDescriptor owner(InMemoryCell cell, String node) {
        LeaseDescriptor lease = endpoint(cell, node).lease(LEASE);
        return lease == null ? null : lease.owner();
    }

    private static void hold(InMemoryCell cell, String node) {
        CompletableFuture<Lease> lease = cell.node(node).acquire(LEASE, AcquireOptions.renewing());
        cell.advance(Duration.ofSeconds(1));
        assertThat(lease.join().isHeld()).isTrue();
    }

    private static Health health(InMemoryCell cell, String node) {
        return new PaxosLeaseHealthIndicator(cell.node(node)).health();
    }

    @Test
    void withFleaseEveryNodeKnowsTheOwnerForCertain() {
        try (InMemoryCell cell = flease()) {
            hold(cell, "a");
            for (String node : new String[] {"a", "b", "c"}) {
                assertThat(owner(cell, node)).isEqualTo(new OwnerDescriptor("a", true, null));
                assertThat(Objects.requireNonNull(endpoint(cell, node).lease(LEASE))
                                .remainingMillis())
                        .isBetween(1L, 3_000L);
            }
            assertThat(endpoint(cell, "b").leases(null, null).node().algorithm())
                    .isEqualTo(Algorithm.FLEASE);
        }
    }

    @Test
    void withPaxosLeaseOnlyTheOwnerKnowsForCertain() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            hold(cell, "a");
            assertThat(owner(cell, "a")).isEqualTo(new OwnerDescriptor("a", true, null));
            assertThat(Objects.requireNonNull(owner(cell, "b")).certain()).isFalse();
        }
    }

    @Test
    void clocksOfPeersAreShownAndMeasured() {
        try (InMemoryCell cell = flease();
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(cell.node("a"), () -> null)) {
            metrics.bindTo(registry);
            cell.advance(Duration.ofSeconds(2));
            assertThat(endpoint(cell, "a").leases(null, null).peers())
                    .hasSize(2)
                    .allSatisfy(peer -> {
                        assertThat(peer.clockOffsetMicros()).isBetween(-1_000L, 1_000L);
                        assertThat(peer.clockUncertaintyMicros()).isPositive();
                    });
            assertThat(registry.get("paxoslease.peer.clock.offset")
                            .tag("peer", "b")
                            .timeGauge()
                            .value())
                    .isBetween(-0.001, 0.001);
        }
    }

    @Test
    void aNodeWhoseClockCannotBeComparedIsOutOfServiceAndSaysSo() {
        try (InMemoryCell cell = flease()) {
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.UP);
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(10));
            Health health = health(cell, "a");
            assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(health.getDetails().get("clock")).asString().contains("NTP");
            assertThat(Objects.requireNonNull(endpoint(cell, "a")
                                    .leases(null, null)
                                    .node()
                                    .quarantine())
                            .reason())
                    .isEqualTo(NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS);
            cell.reconnect("a");
            cell.advance(Duration.ofSeconds(10));
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.UP);
            assertThat(health(cell, "a").getDetails()).doesNotContainKey("clock");
        }
    }

    @Test
    void theStoreIsShownAndMeasured() {
        try (InMemoryCell cell = storage();
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(cell.node("a"), () -> null)) {
            metrics.bindTo(registry);
            hold(cell, "a");
            StoreDescriptor store = Objects.requireNonNull(
                    endpoint(cell, "a").leases(null, null).node().store());
            assertThat(store.accessBoundMillis()).isEqualTo(100);
            assertThat(store.accesses()).isPositive();
            assertThat(store.failed()).isZero();
            assertThat(registry.get("paxoslease.store.access.bound").timeGauge().value())
                    .isEqualTo(0.1);
            assertThat(registry.get("paxoslease.store.access.max").timeGauge().value())
                    .isLessThan(0.1);
            assertThat(registry.get("paxoslease.store.failed.accesses")
                            .functionCounter()
                            .count())
                    .isZero();
            assertThat(registry.get("paxoslease.sent.messages")
                            .tag("type", "compareandset")
                            .functionCounter()
                            .count())
                    .isPositive();
        }
    }

    @Test
    void aStoreThatDoesNotAnswerIsOutOfServiceAndSaysSo() {
        try (InMemoryCell cell = storage()) {
            hold(cell, "a");
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.UP);
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(5));
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(health(cell, "a").getDetails()).containsKey("store");
            cell.reconnect("a");
            hold(cell, "a");
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.UP);
        }
    }

    @Test
    void whoseAreTheLeasesInAStoreIsAHintToTheOthers() {
        try (InMemoryCell cell = storage()) {
            hold(cell, "a");
            CompletableFuture<Lease> waiting = cell.node("b").acquire(LEASE, AcquireOptions.renewing());
            cell.advance(Duration.ofSeconds(1));
            assertThat(waiting).isNotDone();
            assertThat(Objects.requireNonNull(owner(cell, "b")))
                    .returns("a", OwnerDescriptor::nodeId)
                    .returns(false, OwnerDescriptor::certain);
        }
    }
}
