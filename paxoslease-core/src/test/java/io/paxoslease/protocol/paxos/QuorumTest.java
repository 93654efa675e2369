package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuorumTest {

    private static Quorum of(int n) {
        return new Quorum(
                IntStream.range(0, n).mapToObj(i -> new NodeId("n" + i)).toList());
    }

    @Test
    void anyTwoMajoritiesIntersect() {
        for (int n = 1; n <= 63; n++) {
            assertThat(2 * of(n).majority()).isGreaterThan(n);
            assertThat(2 * (of(n).majority() - 1)).isLessThanOrEqualTo(n);
        }
    }

    @Test
    void messagesThatArriveTwiceCountOnce() {
        AcceptorSet votes = new AcceptorSet(of(3));
        votes.add(new NodeId("n1"));
        votes.add(new NodeId("n1"));
        assertThat(votes.isMajority()).isFalse();
        votes.add(new NodeId("n2"));
        assertThat(votes.isMajority()).isTrue();
    }

    @Test
    void aMajorityIsRuledOutOnceTooFewAreLeft() {
        AcceptorSet refusals = new AcceptorSet(of(5));
        refusals.add(new NodeId("n0"));
        refusals.add(new NodeId("n1"));
        AcceptorSet nobody = new AcceptorSet(of(5));
        assertThat(refusals.rulesOutMajorityWith(nobody, nobody)).isFalse();
        refusals.add(new NodeId("n2"));
        assertThat(refusals.rulesOutMajorityWith(nobody, nobody)).isTrue();
    }

    @Test
    void whoAgreedBeforeItWasOutOfReachStillCounts() {
        AcceptorSet refusals = new AcceptorSet(of(5));
        refusals.add(new NodeId("n0"));
        refusals.add(new NodeId("n1"));
        AcceptorSet absent = new AcceptorSet(of(5));
        absent.add(new NodeId("n2"));
        AcceptorSet agreed = new AcceptorSet(of(5));
        assertThat(refusals.rulesOutMajorityWith(absent, agreed)).isTrue();
        agreed.add(new NodeId("n2"));
        assertThat(refusals.rulesOutMajorityWith(absent, agreed)).isFalse();
    }

    @Test
    void theLastOfSixtyThreeAcceptorsVotesToo() {
        AcceptorSet votes = new AcceptorSet(of(63));
        votes.add(new NodeId("n62"));
        assertThat(votes.contains(new NodeId("n62"))).isTrue();
        assertThat(votes.count()).isEqualTo(1);
    }

    @Test
    void strangersDoNotVote() {
        AcceptorSet votes = new AcceptorSet(of(3));
        assertThatThrownBy(() -> votes.add(new NodeId("x"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCellHasOneToSixtyThreeDistinctAcceptors() {
        assertThatThrownBy(() -> of(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> of(64)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Quorum(List.of(new NodeId("a"), new NodeId("a"))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
