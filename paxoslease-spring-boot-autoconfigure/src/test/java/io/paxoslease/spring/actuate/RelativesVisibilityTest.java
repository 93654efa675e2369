package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.actuate.LeaseDescriptor.OwnerDescriptor;
import io.paxoslease.spring.actuate.LeasesDescriptor.QuarantineDescriptor;
import io.paxoslease.spring.actuate.LeasesDescriptor.StoreDescriptor;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.InMemoryRegister;
import io.paxoslease.store.JdbcRegister;
import io.paxoslease.store.ReliableRegister;
import io.paxoslease.testing.InMemoryCell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Endpoint, health and meters with Flease and with leases in shared storage. */
@Timeout(60)
class RelativesVisibilityTest {

    private static final String LEASE = "role:x";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static InMemoryCell flease() {
        return InMemoryCell.of(FleaseOptions.builder().build(), "a", "b", "c");
    }

    private static InMemoryCell storage() {
        return InMemoryCell.of(
                StorageOptions.builder(new InMemoryRegister())
                        .accessBound(Duration.ofMillis(100))
                        .build(),
                "a",
                "b");
    }

    private static DataSource database() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    private static LeasesEndpoint endpoint(InMemoryCell cell, String node) {
        return LeasesEndpoint.of(cell.node(node));
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
        return new PaxosLeaseHealthIndicator(cell.node(node).monitor(), HealthStatuses.DEFAULT).health();
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).meter().measure().iterator().next().getValue();
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
                    .isEqualTo("FLEASE");
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
            assertThat(value("paxoslease.peer.clock.offset", "peer", "b")).isBetween(-0.001, 0.001);
            assertThat(value("paxoslease.peer.clock.uncertainty", "peer", "b")).isBetween(0.001, 0.25);
            assertThat(value("paxoslease.clock.bound")).isEqualTo(0.5);
            assertThat(value("paxoslease.clock.within.bound")).isEqualTo(1);
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(10));
            assertThat(value("paxoslease.clock.within.bound")).isZero();
            assertThat(value("paxoslease.peer.clock.uncertainty", "peer", "b")).isNaN();
        }
    }

    @Test
    void theHealthOfANodeWhoseClockCannotBeComparedIsUnknownAndSaysSo() {
        try (InMemoryCell cell = flease()) {
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.UP);
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(10));
            Health health = health(cell, "a");
            assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
            assertThat(health.getDetails().get("clock"))
                    .asString()
                    .contains("until a majority answers")
                    .doesNotContain("NTP");
            assertThat(Objects.requireNonNull(
                            endpoint(cell, "a").leases(null, null).node().quarantine()))
                    .returns(NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS, QuarantineDescriptor::reason)
                    .returns(null, QuarantineDescriptor::until);
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
            assertThat(value("paxoslease.store.access.bound")).isEqualTo(0.1);
            assertThat(value("paxoslease.store.access.max")).isLessThan(0.1);
            assertThat(value("paxoslease.store.failed.accesses")).isZero();
            assertThat(value("paxoslease.sent.messages", "type", "compareandset"))
                    .isPositive();
        }
    }

    @Test
    void aClientOfAStoreHasNoMembers() {
        try (InMemoryCell cell = storage();
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(cell.node("a"), () -> null)) {
            metrics.bindTo(registry);
            assertThat(registry.getMeters())
                    .extracting(meter -> meter.getId().getName())
                    .contains("paxoslease.held.leases", "paxoslease.clock.disagreements")
                    .doesNotContain(
                            "paxoslease.reachable.members",
                            "paxoslease.majority.members",
                            "paxoslease.quarantine.remaining",
                            "paxoslease.rejected.ballots",
                            "paxoslease.refused.connections");
            assertThat(health(cell, "a").getDetails()).doesNotContainKeys("reachable", "majority");
        }
    }

    /** Within a slot chance decides: of twenty rounds that are drawn after others, some are below them. */
    @Test
    void roundsThatFleaseRejectsAreCounted() {
        try (InMemoryCell cell = flease();
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(cell.node("a"), () -> null)) {
            metrics.bindTo(registry);
            cell.disconnect("a");
            IntStream.range(0, 20).forEach(i -> cell.node("b").acquire("x" + i, AcquireOptions.renewing()));
            cell.advance(Duration.ofMillis(10));
            cell.reconnect("a");
            IntStream.range(0, 20).forEach(i -> cell.node("a").acquire("x" + i, AcquireOptions.renewing()));
            cell.advance(Duration.ofSeconds(1));
            assertThat(value("paxoslease.rejected.ballots", "reason", "stale"))
                    .isPositive()
                    .isEqualTo(value("paxoslease.received.messages", "type", "nack"));
        }
    }

    @Test
    void aStoreThatDoesNotAnswerIsMeasured() {
        try (InMemoryCell cell = storage();
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(cell.node("a"), () -> null)) {
            metrics.bindTo(registry);
            hold(cell, "a");
            assertThat(value("paxoslease.store.answering")).isEqualTo(1);
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(5));
            assertThat(value("paxoslease.store.answering")).isZero();
            assertThat(value("paxoslease.store.conflicts")).isZero();
        }
    }

    /** In real time: a cell in memory has no two nodes of one name. */
    @Test
    void aTwinIsMeasuredAndShown() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("a")
                .leaseTime(Duration.ofSeconds(2))
                .maxLeaseTime(Duration.ofSeconds(2))
                .algorithm(StorageOptions.builder(new JdbcRegister(database()).withInitializedSchema())
                        .accessBound(Duration.ofMillis(400))
                        .build())
                .build();
        try (PaxosLease twin = PaxosLease.create(options);
                PaxosLease node = PaxosLease.create(options);
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(node, () -> null)) {
            twin.start();
            node.start();
            metrics.bindTo(registry);
            assertThat(value("paxoslease.store.conflicts")).isZero();
            twin.acquire(LEASE, AcquireOptions.renewing()).join();
            node.acquire(LEASE, AcquireOptions.renewing());
            await().untilAsserted(() ->
                    assertThat(value("paxoslease.store.conflicts")).isPositive());
            Health health = new PaxosLeaseHealthIndicator(node.monitor(), HealthStatuses.DEFAULT).health();
            assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
            assertThat(health.getDetails().get("store")).asString().contains("node id 'a'");
        }
    }

    /** In real time: its stores are called by threads. */
    @Test
    void oneOfSeveralStoresThatFailsIsMeasuredAndShown(@TempDir Path directory) throws IOException {
        List<DirectoryRegister> stores = new ArrayList<>();
        for (String name : List.of("s1", "s2", "s3")) {
            stores.add(new DirectoryRegister(Files.createDirectory(directory.resolve(name))));
        }
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("a")
                .leaseTime(Duration.ofSeconds(5))
                .algorithm(
                        StorageOptions.builder(new ReliableRegister(stores, Duration.ofMillis(150), new SecureRandom()))
                                .accessBound(Duration.ofMillis(400))
                                .build())
                .build();
        try (PaxosLease node = PaxosLease.create(options);
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(node, () -> null)) {
            node.start();
            metrics.bindTo(registry);
            // Another one may be slow, and count as missing for a moment.
            await().untilAsserted(
                            () -> assertThat(value("paxoslease.store.missing")).isZero());
            Files.move(directory.resolve("s3"), directory.resolve("away"));
            node.acquire(LEASE, AcquireOptions.renewing());
            String lost = "3 of 3, directory " + directory.resolve("s3");
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(value("paxoslease.store.missing")).isEqualTo(1);
                assertThat(new PaxosLeaseHealthIndicator(node.monitor(), HealthStatuses.DEFAULT)
                                .health()
                                .getDetails())
                        .extracting("missing", InstanceOfAssertFactories.MAP)
                        .containsOnlyKeys(lost);
                assertThat(Objects.requireNonNull(LeasesEndpoint.of(node)
                                        .leases(null, null)
                                        .node()
                                        .store())
                                .missing())
                        .containsOnlyKeys(lost);
            });
        }
    }

    @Test
    void theHealthWithoutAStoreThatAnswersIsUnknownAndSaysSo() {
        try (InMemoryCell cell = storage()) {
            hold(cell, "a");
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.UP);
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(5));
            assertThat(health(cell, "a").getStatus()).isEqualTo(Status.UNKNOWN);
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
