package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.AwaitedVote;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.transport.netty.PeerState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whether the other members do without this one, or will soon. */
@Timeout(60)
class AwaitedVotesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long QUARANTINE = 6_000_000_000L;

    private static Optional<AwaitedVote> awaitedBy(PaxosLease node) {
        return node.monitor().awaitedVote();
    }

    private static Optional<String> memberAwaitedBy(PaxosLease node) {
        return awaitedBy(node).map(AwaitedVote::member);
    }

    @Test
    void nothingIsAwaitedWhileTheOthersVote() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            assertThat(awaitedBy(cell.node("a"))).isEmpty();
        }
    }

    @Test
    void aMemberThatHasRestartedIsAwaitedUntilItVotes() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            cell.crash("a");
            cell.restart("a");
            PaxosLease a = cell.node("a");
            int steps = 0;
            while (a.monitor().status().state() == NodeStatus.State.QUARANTINED) {
                assertThat(awaitedBy(cell.node("b")))
                        .contains(new AwaitedVote("a", a.monitor().status().quarantineRemaining()));
                cell.advance(Duration.ofMillis(100));
                steps++;
            }
            assertThat(steps).isGreaterThan(60);
            assertThat(awaitedBy(cell.node("b"))).isEmpty();
        }
    }

    /** It takes no vote away. */
    @Test
    void aMemberThatDoesNotVoteItselfAwaitsNothing() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            cell.crash("a");
            cell.restart("a");
            cell.crash("b");
            cell.restart("b");

            assertThat(awaitedBy(cell.node("b"))).isEmpty();
            assertThat(memberAwaitedBy(cell.node("c"))).isPresent();
        }
    }

    @Test
    void aMemberThatIsNotConnectedIsNotAwaited() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            cell.crash("a");
            assertThat(awaitedBy(cell.node("b"))).isEmpty();

            cell.restart("a");
            assertThat(memberAwaitedBy(cell.node("b"))).contains("a");

            cell.node("c").stop(); // all are being stopped: the two that are left cannot be a majority of three
            assertThat(awaitedBy(cell.node("b"))).isEmpty();
        }
    }

    @Test
    void ofSeveralTheOneThatVotesSoonestIsAwaited() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c", "d", "e")) {
            for (String id : List.of("b", "a")) {
                cell.crash(id);
                cell.restart(id);
                assertThat(memberAwaitedBy(cell.node("c")))
                        .isEqualTo(id.equals("b") ? Optional.empty() : Optional.of("b"));
                cell.advance(SECOND);
            }
        }
    }

    @Test
    void ofTwoMembersNeitherAwaitsTheOther() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b")) {
            cell.crash("a");
            cell.restart("a");
            assertThat(awaitedBy(cell.node("b"))).isEmpty();
        }
    }

    @Test
    void whoHasNoVoteAwaitsNone() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            PaxosLease client = cell.addClient("client");
            cell.crash("a");
            cell.restart("a");
            assertThat(awaitedBy(client)).isEmpty();

            cell.node("b").stop();
            assertThat(awaitedBy(cell.node("b"))).isEmpty();
        }
        try (InMemoryCell alone = InMemoryCell.of("a")) {
            assertThat(awaitedBy(alone.node("a"))).isEmpty();
        }
    }

    /** Until the seal a majority of each list decides; this node may be in one of them only. */
    @Test
    void whileMembersChangeBothListsNeedAMajority() {
        Map<String, Long> known = new TreeMap<>(Map.of("b", QUARANTINE, "c", 1L, "d", QUARANTINE, "e", 3L));

        assertThat(awaited(known, MembershipStatus.Mode.SEALED, "a b d", "a b c"))
                .isEmpty();
        assertThat(awaited(known, MembershipStatus.Mode.JOINT, "a b d", "a b c"))
                .contains(new AwaitedVote("c", Duration.ofNanos(QUARANTINE - 1)));
        assertThat(awaited(known, MembershipStatus.Mode.JOINT, "b d", "a b e"))
                .contains(new AwaitedVote("e", Duration.ofNanos(QUARANTINE - 3)));
        assertThat(awaited(known, MembershipStatus.Mode.JOINT, "a b x", "a b e"))
                .as("of the first list waiting makes no majority")
                .isEmpty();
    }

    /** @param known how long the other members are known */
    private static Optional<AwaitedVote> awaited(
            Map<String, Long> known, MembershipStatus.Mode mode, String members, String previous) {
        MembershipStatus membership =
                new MembershipStatus(2, 2, mode, 0, list(members), list(previous), List.of(), null, Duration.ZERO);
        NodeStatus status = new NodeStatus(
                "a",
                "cell",
                "1",
                NodeStatus.State.SERVING,
                null,
                new NodeStatus.Clocks(true, 0),
                SECOND,
                SECOND,
                List.of(),
                null,
                null,
                NodeMode.MEMBER,
                null,
                membership);
        List<PeerState> peers = known.entrySet().stream()
                .map(each -> new PeerState(new NodeId(each.getKey()), true, null).knownFor(each.getValue()))
                .toList();
        return AwaitedVotes.of(status, peers, QUARANTINE);
    }

    private static List<String> list(String members) {
        return List.of(members.split(" "));
    }
}
