package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a node shows of a change of the members. */
class MembershipViewTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final NodeId D = new NodeId("d");
    private static final long SECOND = 1_000_000_000L;

    private static final Generation FIRST = Generation.first(list(A, B, C));
    private static final Generation SECOND_GENERATION = new Generation(2, list(A, B, D), list(A, B, C));
    private static final long AGE = SECOND_GENERATION.timing(false).quarantineNanos();

    private long nanos = SECOND;
    private long incarnations;

    private static MemberList list(NodeId... members) {
        return new MemberList(List.of(members), Duration.ofSeconds(5), 0.1);
    }

    private Reading now() {
        return new Reading(new Moment(nanos), 1_700_000_000_000_000L + nanos / 1_000);
    }

    private Node node(NodeId self, Generation generation, @Nullable Moment quarantineEnd) {
        return new Node(
                self,
                generation,
                quarantineEnd,
                ConfigurationGuard.none(self),
                false,
                () -> new Incarnation(1, ++incarnations),
                new SplittableRandom(1),
                now());
    }

    private NodeView.Membership view(Node node) {
        return Objects.requireNonNull(node.view(now()).membership());
    }

    /** Asks where the others stand, and has those answer that they are at the second generation. */
    private void hear(Node node, NodeId... others) {
        hear(node, 0, others);
    }

    private void hear(Node node, int sealed, NodeId... others) {
        long nonce = node.step(new Event.Woken(), now()).stream()
                .filter(effect -> effect instanceof Effect.Send send && send.message() instanceof AskStanding)
                .mapToLong(effect -> ((AskStanding) ((Effect.Send) effect).message()).nonce())
                .findFirst()
                .orElseThrow();
        for (NodeId other : others) {
            Standing standing = new Standing(nonce, new Incarnation(2, 1), SECOND_GENERATION, sealed);
            node.step(new Event.Received(other, standing), now());
        }
    }

    @Test
    void aMajorityOfThePreviousMembersMustAgeUntilTheSeal() {
        Node node = node(D, SECOND_GENERATION, null);
        assertThat(view(node))
                .returns(true, NodeView.Membership::isJoint)
                .returns(0, NodeView.Membership::sealed)
                .returns(List.of(A, B, C), NodeView.Membership::missing)
                .returns(-1L, NodeView.Membership::sealedInNanos);

        hear(node, A);
        assertThat(view(node))
                .returns(List.of(B, C), NodeView.Membership::missing)
                .returns(-1L, NodeView.Membership::sealedInNanos);
        nanos += SECOND;
        hear(node, A, B);
        nanos += SECOND;
        assertThat(view(node))
                .returns(List.of(C), NodeView.Membership::missing)
                .returns(AGE - SECOND, NodeView.Membership::sealedInNanos)
                .returns(2 * SECOND, NodeView.Membership::sinceNanos);

        nanos += AGE;
        hear(node, A, B);
        assertThat(node.sealedGeneration()).isEqualTo(2);
        assertThat(view(node))
                .as("members that leave must not stop before the others know")
                .returns(true, NodeView.Membership::isJoint)
                .returns(0, NodeView.Membership::sealed)
                .returns(0L, NodeView.Membership::sealedInNanos);
        nanos += SECOND;
        hear(node, 2, B);
        assertThat(view(node))
                .returns(false, NodeView.Membership::isJoint)
                .returns(2, NodeView.Membership::sealed)
                .returns(List.of(), NodeView.Membership::missing)
                .returns(-1L, NodeView.Membership::sealedInNanos)
                .returns(0L, NodeView.Membership::sinceNanos);
    }

    @Test
    void aNodeOfTheFirstGenerationFollowsTheSecond() {
        Node node = node(A, FIRST, null);
        assertThat(view(node)).returns(FIRST, NodeView.Membership::generation);

        node.step(new Event.GenerationMet(D, SECOND_GENERATION, 0), now());
        assertThat(view(node))
                .as("no majority of the new list has answered")
                .returns(FIRST, NodeView.Membership::generation);
        hear(node, B, D);
        assertThat(view(node))
                .returns(1, NodeView.Membership::configured)
                .returns(SECOND_GENERATION, NodeView.Membership::generation)
                .returns(true, NodeView.Membership::isJoint);
    }

    /** R7: one that votes goes on, one that starts does not begin to. */
    @Test
    void aSealSilencesOnlyAMemberThatHasNotBegunToVote() {
        Node voting = node(A, FIRST, null);
        Node starting = node(A, FIRST, new Moment(nanos).plusNanos(AGE));
        for (Node node : List.of(voting, starting)) {
            node.step(new Event.GenerationMet(D, SECOND_GENERATION, 2), now());
        }
        assertThat(view(voting).sealed()).as("d may be anybody").isEqualTo(1);
        assertThat(view(starting).sealed()).isEqualTo(2);
        assertThat(view(voting).silences()).isFalse();
        assertThat(view(starting).silences()).isTrue();
        assertThat(voting.serves(now())).isTrue();
        nanos += 2 * AGE;
        assertThat(starting.serves(now())).isFalse();
    }
}
