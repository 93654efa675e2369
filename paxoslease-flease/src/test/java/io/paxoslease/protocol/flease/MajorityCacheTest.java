package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is certain, and how a node comes to know it. */
class MajorityCacheTest {

    private static final long END = FleaseCell.WALL + 3_000_000;

    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);
    private final Reading now = new Reading(new Moment(0), FleaseCell.WALL);
    private final MajorityCache knowledge = new MajorityCache();
    private final List<Long> answered = new ArrayList<>();
    private final Queries queries = new Queries(new Quorum(List.of(a, b, c)), knowledge, 100, answered::add);

    private Stored lease(long slot, long endMicros, long token) {
        Value.Owner owner = new Value.Owner(a, new Incarnation(1, 2));
        return new Stored(new Round(slot, 0, a), new Value(owner, endMicros, token));
    }

    private static Stored released(Stored lease, long slot) {
        return new Stored(
                new Round(slot, 0, lease.written().node()), lease.value().released());
    }

    // What is certain

    @Test
    void anEarlierDecisionDoesNotReplaceALaterOne() {
        Stored later = lease(5, END, 7);
        knowledge.learn("r", later);
        knowledge.learn("r", lease(4, END + 1, 6));
        assertThat(knowledge.certain("r", later, now)).isEqualTo(later);
    }

    @Test
    void whatHasEndedIsNotCertain() {
        knowledge.learn("r", lease(5, END, 7));
        Reading end = new Reading(new Moment(0), END);
        assertThat(knowledge.certain("r", Stored.NOTHING, end)).isNull();
    }

    @Test
    void whereThereIsNoLeaseNoneEnds() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Value(null, END, 7));
    }

    @Test
    void thatThereIsNoLeaseIsNotKept() {
        knowledge.learn("r", released(lease(5, END, 7), 6));
        assertThat(knowledge.certain("r", Stored.NOTHING, now)).isNull();
    }

    @Test
    void aRenewalSinceThenIsNoDoubtAndAnothersTenureOrAReleaseIs() {
        Stored known = lease(5, END, 7);
        knowledge.learn("r", known);
        assertThat(knowledge.certain("r", lease(6, END + 1, 7), now)).isEqualTo(known);
        assertThat(knowledge.certain("r", lease(6, END + 1, 8), now)).isNull();
        assertThat(knowledge.certain("r", released(known, 6), now)).isNull();
        assertThat(knowledge.certain("r", lease(4, END, 3), now)).isEqualTo(known);
    }

    @Test
    void onlySoMuchIsKnown() {
        Stored stored = lease(5, END, 7);
        for (int i = 0; i <= 8_192; i++) {
            knowledge.learn("r" + i, stored);
        }
        assertThat(knowledge.certain("r0", stored, now)).isNull();
        assertThat(knowledge.certain("r1", stored, now)).isEqualTo(stored);
    }

    // Looking

    private void known(NodeId from, long id, Stored... stored) {
        queries.onKnown(from, new FleaseMessage.Known(id, List.of(stored)), Set.of());
    }

    @Test
    void aMajorityUnderOneRoundIsCertain() {
        queries.begin(1, List.of("r"), now);
        known(b, 101, lease(4, END, 6));
        known(c, 101, lease(5, END, 7));
        assertThat(knowledge.certain("r", Stored.NOTHING, now)).isNull();
        known(c, 101, lease(4, END, 6)); // one answer of each counts
        assertThat(knowledge.certain("r", Stored.NOTHING, now)).isNull();
        known(a, 101, lease(5, END, 7));
        assertThat(knowledge.certain("r", Stored.NOTHING, now)).isEqualTo(lease(5, END, 7));
        assertThat(answered).containsExactly(1L);
    }

    @Test
    void anAnswerOfAnotherLengthOrToAnotherQuestionCountsForNothing() {
        queries.begin(1, List.of("r"), now);
        known(b, 101, lease(5, END, 7), lease(5, END, 7));
        known(b, 1, lease(5, END, 7));
        known(c, 101, lease(5, END, 7));
        known(a, 101);
        assertThat(knowledge.certain("r", Stored.NOTHING, now)).isNull();
        assertThat(answered).isEmpty();
    }

    @Test
    void aLookAtNothingIsAnsweredAtOnceAndOneAtMuchWhenAllOfItIs() {
        assertThat(queries.begin(1, List.of(), now)).isEmpty();
        assertThat(answered).containsExactly(1L);
        assertThat(queries.begin(2, Collections.nCopies(150, "r"), now)).hasSize(2);
        for (NodeId node : List.of(a, b, c)) {
            known(node, 102, Collections.nCopies(50, Stored.NOTHING).toArray(new Stored[0]));
        }
        assertThat(answered).containsExactly(1L);
        for (NodeId node : List.of(a, b, c)) {
            known(node, 101, Collections.nCopies(100, Stored.NOTHING).toArray(new Stored[0]));
        }
        assertThat(answered).containsExactly(1L, 2L);
    }

    @Test
    void whoIsAbsentIsNotWaitedForAndNobodyForLong() {
        queries.begin(1, List.of("r"), now);
        known(a, 101, Stored.NOTHING);
        queries.endWhatIsAnswered(Set.of(b));
        assertThat(answered).isEmpty();
        queries.endWhatIsAnswered(Set.of(b, c));
        assertThat(answered).containsExactly(1L);
        queries.begin(2, List.of("r"), now);
        assertThat(queries.nextDeadline()).isEqualTo(new Moment(500_000_000));
        queries.wake(now.plusNanos(499_999_999));
        assertThat(answered).containsExactly(1L);
        queries.wake(now.plusNanos(500_000_000));
        assertThat(answered).containsExactly(1L, 2L);
    }
}
