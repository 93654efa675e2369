package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which majorities a node needs, by its status. */
class NodeStatusTest {

    private static NodeStatus status(
            NodeMode mode, @Nullable MembershipStatus membership, List<String> peers, String... connected) {
        List<PeerStatus> all = peers.stream()
                .map(id -> new PeerStatus(id, "", List.of(connected).contains(id), null, null, null, null, null))
                .toList();
        return new NodeStatus(
                "a",
                "cell",
                "",
                NodeStatus.State.SERVING,
                null,
                new NodeStatus.Clocks(true, 0),
                Duration.ofSeconds(3),
                Duration.ofSeconds(5),
                all,
                null,
                null,
                mode,
                null,
                membership);
    }

    private static MembershipStatus from3To5(int configured, int sealed) {
        return new MembershipStatus(
                configured,
                2,
                sealed < 2 ? MembershipStatus.Mode.JOINT : MembershipStatus.Mode.SEALED,
                sealed,
                List.of("a", "b", "c", "d", "e"),
                List.of("a", "b", "c"),
                sealed < 2 ? List.of("c") : List.of(),
                null,
                Duration.ZERO);
    }

    private static NodeStatus member(@Nullable MembershipStatus membership, String... connected) {
        return status(NodeMode.MEMBER, membership, List.of("b", "c", "d", "e"), connected);
    }

    @Test
    void withoutGenerationsEveryPeerCounts() {
        assertThat(member(null, "b"))
                .returns(3, NodeStatus::majority)
                .returns(2, NodeStatus::reachable)
                .returns(false, NodeStatus::hasMajority);
        assertThat(member(null, "b", "e").hasMajority()).isTrue();
        assertThat(status(NodeMode.CLIENT, null, List.of("b", "c", "d"), "b", "c"))
                .returns(2, NodeStatus::majority)
                .returns(2, NodeStatus::reachable);
    }

    @Test
    void untilTheSealBothListsNeedAMajority() {
        assertThat(member(from3To5(2, 1), "d", "e"))
                .as("three of the members, one of the previous ones")
                .returns(2, NodeStatus::majority)
                .returns(1, NodeStatus::reachable)
                .returns(false, NodeStatus::hasMajority);
        assertThat(member(from3To5(2, 1), "b"))
                .as("two of the members, two of the previous ones")
                .returns(3, NodeStatus::majority)
                .returns(2, NodeStatus::reachable)
                .returns(false, NodeStatus::hasMajority);
        assertThat(member(from3To5(2, 1), "b", "c").hasMajority()).isTrue();
    }

    @Test
    void afterTheSealTheMembersDecideAlone() {
        assertThat(member(from3To5(2, 2), "d", "e").hasMajority()).isTrue();
        NodeStatus left = status(
                NodeMode.MEMBER,
                new MembershipStatus(
                        2,
                        2,
                        MembershipStatus.Mode.SEALED,
                        2,
                        List.of("b", "c", "d"),
                        List.of("a", "b", "c"),
                        List.of(),
                        null,
                        Duration.ZERO),
                List.of("b", "c", "d"),
                "b");
        assertThat(left)
                .as("this node is a member no more")
                .returns(2, NodeStatus::majority)
                .returns(1, NodeStatus::reachable);
    }

    @Test
    void aConfigurationThatIsOverSaysWhatToConfigure() {
        assertThat(from3To5(2, 2).problem()).isNull();
        assertThat(from3To5(1, 1).problem()).isNull();
        assertThat(from3To5(1, 2).problem())
                .isEqualTo("generation 2 of the cell is sealed, and this node was started with generation 1: configure"
                        + " generation 2 with peers [a, b, c, d, e] and"
                        + " previousPeers [a, b, c], with the addresses and times of the"
                        + " other nodes");
    }

    @Test
    void aCellThatHasNeverChangedHasNothingToShow() {
        List<String> members = Stream.of("a", "b").toList();
        MembershipStatus first = new MembershipStatus(
                1, 1, MembershipStatus.Mode.SEALED, 1, members, List.of(), List.of(), null, Duration.ZERO);
        assertThat(first.hasChanged()).isFalse();
        assertThat(from3To5(1, 1).hasChanged()).isTrue();
    }
}
