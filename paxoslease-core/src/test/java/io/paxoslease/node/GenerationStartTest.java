package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.Timings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that starts in the middle of a change of its cell. */
@Tag("slow")
@Timeout(60)
class GenerationStartTest {

    private static final Duration SHORT = Duration.ofMillis(200);

    private final int port = FreePorts.next();
    private final int other = FreePorts.next();

    /** Of a and b, where a was alone before. */
    private PaxosLeaseOptions.Builder grown() {
        return grown("a");
    }

    private PaxosLeaseOptions.Builder grown(String id) {
        return PaxosLeaseOptions.builder(id)
                .cell("changes-" + port)
                .generation(2)
                .peer("a", "127.0.0.1:" + port)
                .peer("b", "127.0.0.1:" + other)
                .previousPeer("a", "127.0.0.1:" + port)
                .leaseTime(SHORT)
                .maxLeaseTime(SHORT);
    }

    private static MembershipStatus membership(PaxosLease node) {
        return Objects.requireNonNull(node.monitor().status().membership());
    }

    @Test
    void theStatusFollowsTheChangeToItsSeal() {
        try (LogCapture log = LogCapture.ofNode();
                PaxosLease node = PaxosLease.create(
                        grown().previousMaxLeaseTime(Duration.ofSeconds(1)).build())) {
            node.start();

            assertThat(membership(node))
                    .returns(2, MembershipStatus::configured)
                    .returns(2, MembershipStatus::generation)
                    .returns(MembershipStatus.Mode.JOINT, MembershipStatus::mode)
                    .returns(0, MembershipStatus::sealed)
                    .returns(List.of("a", "b"), MembershipStatus::members)
                    .returns(List.of("a"), MembershipStatus::previousMembers)
                    .returns(List.of("a"), MembershipStatus::missing)
                    .returns(null, MembershipStatus::sealedIn);
            assertThat(String.join("\n", log.lines()))
                    .contains("members [a, b] of generation 2, previous members [a], lease time");

            Eventually.until(
                    "all of the previous members are at it",
                    () -> membership(node).missing().isEmpty());
            assertThat(membership(node)).as("b has to be there too").returns(0, MembershipStatus::sealed);
            try (PaxosLease b = PaxosLease.create(
                    grown("b").previousMaxLeaseTime(Duration.ofSeconds(1)).build())) {
                b.start();
                Eventually.until("it is sealed", () -> membership(node).mode() == MembershipStatus.Mode.SEALED);
            }
            assertThat(membership(node)).returns(2, MembershipStatus::sealed).returns(null, MembershipStatus::sealedIn);
            assertThat(node.monitor().status().majority()).isEqualTo(2);
        }
    }

    /** It may have granted leases of the longer of both times before it was restarted. */
    @Test
    void theQuarantineIsTheLongerOfBoth() {
        assertThat(quarantineNanos(grown())).isLessThanOrEqualTo(ConfigurationGuard.LOOK_AROUND_NANOS);
        PaxosLeaseOptions.Builder shorterNow = grown().previousMaxLeaseTime(Duration.ofMinutes(1));
        assertThat(quarantineNanos(shorterNow))
                .isGreaterThan(Duration.ofMinutes(1).toNanos());
        PaxosLeaseOptions.Builder steadierNow =
                grown().maxLeaseTime(Duration.ofMinutes(1)).clockDrift(0.1).previousClockDrift(0.5);
        assertThat(quarantineNanos(steadierNow))
                .isGreaterThan(Duration.ofMinutes(2).toNanos());
    }

    private static long quarantineNanos(PaxosLeaseOptions.Builder builder) {
        PaxosLeaseOptions options = builder.build();
        NodeEnvironment environment = StartedNodes.environment(options);
        Reading reading = environment.clock().read();
        LeaseAlgorithm node = environment.newNode(Timings.of(options), reading);
        long remaining = node.view(reading).quarantineRemainingNanos();
        environment.close();
        return remaining;
    }

    /** R7. */
    @Test
    void aNodeWhoseGenerationIsOverDoesNotVoteAndSaysWhatToConfigure() {
        PaxosLeaseOptions old = PaxosLeaseOptions.builder("a")
                .cell("over-" + port)
                .peer("a", "127.0.0.1:" + port)
                .peer("b", "127.0.0.1:" + other)
                .leaseTime(SHORT)
                .maxLeaseTime(SHORT)
                .build();
        try (PaxosLease node = LocalNode.create(old, options -> new Told(StartedNodes.environment(options)))
                .handle()) {
            node.start();

            Eventually.until(
                    "the look around is over",
                    () -> node.monitor().status().quarantineRemaining().isZero());
            assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
            assertThat(node.monitor().status().quarantine())
                    .isNotNull()
                    .returns(NodeStatus.Quarantine.Reason.GENERATION_OVER, NodeStatus.Quarantine::reason);
            assertThat(membership(node).problem())
                    .contains("generation 2 of the cell is sealed, and this node was started with generation 1");
        }
    }

    /** The machine, under a node that has met one of the next generation, which is sealed. */
    private static final class Told extends DelegatingEnvironment {

        Told(NodeEnvironment machine) {
            super(machine);
        }

        @Override
        public LeaseAlgorithm newNode(Timing timing, Reading now) {
            LeaseAlgorithm node = machine.newNode(timing, now);
            MemberList before = new MemberList(List.of(new NodeId("a"), new NodeId("b")), SHORT, timing.drift());
            MemberList after = new MemberList(List.of(new NodeId("a"), new NodeId("d")), SHORT, timing.drift());
            node.step(new Event.GenerationMet(new NodeId("d"), new Generation(2, after, before), 2), now);
            return node;
        }
    }
}
