package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.NodeAdmin;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.spring.NodeWithMembership;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** What an operator sees of a change of the members. */
@Timeout(60)
class MembershipVisibilityTest {

    private static final Duration SHORT = Duration.ofMillis(200);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    /** From a, b, x to a, b, c. */
    private NodeMonitor node(int configured, int sealed, @Nullable Duration sealedIn) {
        boolean isSealed = sealed == 2;
        return NodeWithMembership.of(
                cell.node("a"),
                new MembershipStatus(
                        configured,
                        2,
                        isSealed ? MembershipStatus.Mode.SEALED : MembershipStatus.Mode.JOINT,
                        sealed,
                        List.of("a", "b", "c"),
                        List.of("a", "b", "x"),
                        isSealed ? List.of() : List.of("x"),
                        sealedIn,
                        Duration.ofSeconds(7)));
    }

    private static @Nullable MembershipDescriptor shown(NodeMonitor node) {
        return new LeasesEndpoint(node, mock(NodeAdmin.class))
                .leases(null, null)
                .node()
                .membership();
    }

    private static Health health(NodeMonitor node) {
        return Objects.requireNonNull(new PaxosLeaseHealthIndicator(node, HealthStatuses.DEFAULT).health());
    }

    private static double value(NodeMonitor node, String meter) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(node, () -> null, List::of)) {
            metrics.bindTo(registry);
            return registry.get(meter).gauge().value();
        }
    }

    private static double connected(NodeMonitor node, String peer) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(node, () -> null, List::of)) {
            metrics.bindTo(registry);
            return registry.get("paxoslease.peer.connected")
                    .tag("peer", peer)
                    .gauge()
                    .value();
        }
    }

    @Test
    void aCellThatHasNeverChangedShowsNothing() {
        assertThat(shown(cell.node("a").monitor())).isNull();
        assertThat(health(cell.node("a").monitor()).getDetails()).doesNotContainKey("membership");
        assertThat(value(cell.node("a").monitor(), "paxoslease.generation")).isEqualTo(1);
        assertThat(value(cell.node("a").monitor(), "paxoslease.generation.sealed"))
                .isEqualTo(1);
    }

    @Test
    void theEndpointShowsWhoIsMissingForTheSealAndSinceWhen() {
        Instant before = Instant.now();
        assertThat(shown(node(2, 1, Duration.ofMinutes(1))))
                .isNotNull()
                .returns(2, MembershipDescriptor::configured)
                .returns(2, MembershipDescriptor::generation)
                .returns(1, MembershipDescriptor::sealed)
                .returns(MembershipStatus.Mode.JOINT, MembershipDescriptor::mode)
                .returns(List.of("a", "b", "c"), MembershipDescriptor::members)
                .returns(List.of("a", "b", "x"), MembershipDescriptor::previousMembers)
                .returns(List.of("x"), MembershipDescriptor::missing)
                .returns(null, MembershipDescriptor::problem)
                .satisfies(shown -> assertThat(shown.since()).isBefore(before))
                .satisfies(shown -> assertThat(shown.sealedAt()).isAfter(before.plusSeconds(59)));
        assertThat(shown(node(2, 2, null)))
                .isNotNull()
                .returns(MembershipStatus.Mode.SEALED, MembershipDescriptor::mode)
                .returns(null, MembershipDescriptor::missing)
                .returns(null, MembershipDescriptor::sealedAt);
    }

    @Test
    void healthShowsTheChangeAndStaysUpWhileBothMajoritiesAnswer() {
        Health health = health(node(2, 1, null));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(membership(health))
                .containsEntry("generation", 2)
                .containsEntry("mode", MembershipStatus.Mode.JOINT)
                .containsEntry("missing", List.of("x"))
                .containsKey("since")
                .doesNotContainKeys("sealedAt", "problem");
        cell.crash("b");
        assertThat(health(node(2, 1, null)).getStatus())
                .as("a alone of a, b, x")
                .isEqualTo(Status.UNKNOWN);
        assertThat(health(node(2, 2, null)).getStatus())
                .as("a and c of a, b, c")
                .isEqualTo(Status.UP);
    }

    /** As after a backup was restored: no lease depends on it, and the next start of a node does. */
    @Test
    void healthSaysThatTheStoreWasRolledBackAndStaysUp() {
        NodeMonitor plain = cell.node("a").monitor();
        MembershipStore store = new MembershipStore() {
            @Override
            public Membership read() {
                return new Membership(
                        GenerationOptions.first(), plain.options().peers(), Duration.ofSeconds(5), 0.1, false);
            }

            @Override
            public boolean replace(@Nullable Membership expected, Membership next) {
                return false;
            }

            @Override
            public String describe() {
                return "shelf";
            }
        };
        Health rolledBack = health(NodeWithMembership.storedIn(store, node(2, 2, null)));
        assertThat(rolledBack.getStatus()).isEqualTo(Status.UP);
        assertThat(String.valueOf(rolledBack.getDetails().get("membershipStore")))
                .contains("The shelf has generation 1, and generation 2 of the cell is sealed: it was rolled back");
        assertThat(health(NodeWithMembership.storedIn(store, node(2, 1, null))).getDetails())
                .doesNotContainKey("membershipStore");
    }

    @Test
    void aMemberOfAnEarlierGenerationSaysWhatToConfigure() {
        assertThat(String.valueOf(membership(health(node(1, 2, null))).get("problem")))
                .contains("generation 2 of the cell is sealed, and this node was started with generation 1");
        assertThat(shown(node(1, 2, null)))
                .isNotNull()
                .extracting(MembershipDescriptor::problem)
                .asString()
                .contains("configure generation 2 with peers");
    }

    /** It grants nothing, and follows the members. */
    @Test
    void aClientOfAnEarlierGenerationHasNoProblem() {
        MembershipStatus over = Objects.requireNonNull(node(1, 2, null).status().membership());
        assertThat(shown(NodeWithMembership.of(cell.addClient("client"), over)))
                .isNotNull()
                .returns(1, MembershipDescriptor::configured)
                .returns(null, MembershipDescriptor::problem);
    }

    @Test
    void theMetersFollowARealChange() {
        String address = Objects.requireNonNull(new TestCell(1).peers().get("n1"));
        try (PaxosLease changing = PaxosLease.create(PaxosLeaseOptions.builder("n1")
                .cell("changing")
                .generation(2)
                .peer("n1", address)
                .previousPeer("n1", address)
                .leaseTime(SHORT)
                .maxLeaseTime(SHORT)
                .previousMaxLeaseTime(Duration.ofSeconds(1))
                .build())) {
            changing.start();
            NodeMonitor node = changing.monitor();
            assertThat(value(node, "paxoslease.generation")).isEqualTo(2);
            assertThat(value(node, "paxoslease.generation.sealed")).isZero();
            await().until(() -> health(node).getStatus().equals(Status.UP)); // when its quarantine has ended
            await().untilAsserted(() ->
                    assertThat(value(node, "paxoslease.generation.sealed")).isEqualTo(2));
            assertThat(shown(node)).isNotNull().returns(MembershipStatus.Mode.SEALED, MembershipDescriptor::mode);
        }
    }

    /** An alert compares the two: both are of the list that is nearer to losing its majority. */
    @Test
    void theMetersOfTheMajorityAreOfTheMembersThatDecide() {
        cell.crash("b");
        assertThat(value(node(2, 1, null), "paxoslease.reachable.members"))
                .as("a alone of a, b, x")
                .isEqualTo(1);
        assertThat(value(node(2, 1, null), "paxoslease.majority.members")).isEqualTo(2);
        assertThat(value(node(2, 2, null), "paxoslease.reachable.members"))
                .as("a and c of a, b, c")
                .isEqualTo(2);
        MembershipStatus five = new MembershipStatus(
                2,
                2,
                MembershipStatus.Mode.SEALED,
                2,
                List.of("a", "b", "c", "d", "e"),
                List.of("a", "b", "c"),
                List.of(),
                null,
                Duration.ZERO);
        NodeMonitor client = NodeWithMembership.of(cell.addClient("client"), five);
        assertThat(value(client, "paxoslease.reachable.members")).isEqualTo(2);
        assertThat(value(client, "paxoslease.majority.members")).isEqualTo(3);
    }

    /** A member that has left is expected to be away. */
    @Test
    void aPreviousMemberIsMissingOnlyUntilTheSeal() {
        cell.crash("c");
        MembershipStatus left = new MembershipStatus(
                2,
                2,
                MembershipStatus.Mode.SEALED,
                2,
                List.of("a", "b"),
                List.of("a", "b", "c"),
                List.of(),
                null,
                Duration.ZERO);
        MembershipStatus leaving = new MembershipStatus(
                2,
                2,
                MembershipStatus.Mode.JOINT,
                1,
                List.of("a", "b"),
                List.of("a", "b", "c"),
                List.of("c"),
                null,
                Duration.ZERO);
        assertThat(health(NodeWithMembership.of(cell.node("a"), leaving)).getDetails())
                .containsKey("missing");
        assertThat(health(NodeWithMembership.of(cell.node("a"), left)).getDetails())
                .doesNotContainKey("missing");
        assertThat(connected(NodeWithMembership.of(cell.node("a"), leaving), "c"))
                .isZero();
        assertThat(connected(NodeWithMembership.of(cell.node("a"), left), "c"))
                .as("no alert asks for a member that has left")
                .isNaN();
        assertThat(connected(NodeWithMembership.of(cell.node("a"), left), "b")).isEqualTo(1);
        cell.crash("b");
        assertThat(connected(NodeWithMembership.of(cell.node("a"), left), "b")).isZero();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> membership(Health health) {
        return (Map<String, Object>) Objects.requireNonNull(health.getDetails().get("membership"));
    }
}
