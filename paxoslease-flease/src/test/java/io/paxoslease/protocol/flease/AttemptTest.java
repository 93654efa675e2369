package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.WriteAck;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is counted in one round, and what is not. */
class AttemptTest {

    private static final long SECOND = 1_000_000_000L;

    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);
    private final Round round = new Round(5, 1, a);
    private final Reading start = new Reading(new Moment(0), FleaseCell.WALL);
    private final Attempt attempt =
            new Attempt(7, Attempt.Kind.ACQUIRE, round, 3 * SECOND, new Quorum(List.of(a, b, c)), start, 100);
    private final Value value =
            new Value(new Value.Owner(a, new Incarnation(1, 2)), FleaseCell.WALL + 3_000_000, FleaseCell.WALL);

    private static Round slot(long slot) {
        return new Round(slot, 0, new NodeId("z"));
    }

    @Test
    void anAnswerEchoesTheAttemptAndItsRound() {
        assertThat(attempt.isEcho(new WriteAck("r", round, 7))).isTrue();
        assertThat(attempt.isEcho(new WriteAck("r", round, 8))).isFalse();
        assertThat(attempt.isEcho(new WriteAck("r", new Round(5, 2, a), 7))).isFalse();
    }

    @Test
    void anAgreementCountsForWhatWasAsked() {
        ReadAck read = new ReadAck("r", round, 7, Stored.NOTHING);
        WriteAck written = new WriteAck("r", round, 7);
        assertThat(attempt.isAgreement(read)).isTrue();
        assertThat(attempt.isAgreement(written)).isFalse();
        attempt.startWriting(value, start, 100);
        assertThat(attempt.isAgreement(read)).isFalse();
        assertThat(attempt.isAgreement(written)).isTrue();
    }

    @Test
    void ofAllRefusalsTheHighestRoundIsKept() {
        attempt.refused(b, slot(9));
        attempt.refused(c, slot(6));
        assertThat(attempt.highest).isEqualTo(slot(9));
    }

    @Test
    void whoHasAgreedCountsEvenWhenItIsGone() {
        attempt.agreed(b);
        assertThat(attempt.isRuledOut(Set.of(b, c))).isFalse();
        assertThat(attempt.isRuledOut(Set.of(a, c))).isTrue();
    }

    @Test
    void onlyAMajorityThatHasTheSameWriteHasDecided() {
        attempt.read(new Stored(slot(3), value.released()));
        attempt.read(new Stored(slot(4), value));
        assertThat(attempt.latest().value()).isEqualTo(value);
        assertThat(attempt.isLatestDecided()).isFalse();
        attempt.read(new Stored(slot(4), value));
        assertThat(attempt.isLatestDecided()).isTrue();
    }

    @Test
    void theWriteIsCountedAfreshAndHasATimeOfItsOwn() {
        attempt.agreed(a);
        attempt.agreed(b);
        attempt.refused(c, slot(9));
        attempt.startWriting(value, start.plusNanos(60), 100);

        assertThat(attempt.hasMajority()).isFalse();
        assertThat(attempt.isRuledOut(Set.of(b))).isFalse();
        assertThat(attempt.timeout).isEqualTo(new Moment(160));
    }

    /** By then the wall clock may have been slewed, and the end is one that it shows. */
    @Test
    void theEndIsReckonedFromTheDecisionOnBothClocks() {
        Reading decided = new Reading(new Moment(50_000_000), FleaseCell.WALL + 51_000);
        attempt.startWriting(value, decided, 100);

        assertThat(attempt.until())
                .isEqualTo(new Reading(decided.moment().plusNanos((3_000_000 - 51_000) * 1_000L), value.endMicros()));
    }

    // What is held by it

    private Attempt renewal(Reading decided, long endMicros) {
        Attempt renewal = new Attempt(
                8,
                Attempt.Kind.RENEW,
                slot(6),
                3 * SECOND,
                new Quorum(List.of(a, b, c)),
                decided.plusNanos(-SECOND),
                100);
        renewal.startWriting(new Value(value.owner(), endMicros, value.token()), decided, 100);
        return renewal;
    }

    @Test
    void theNextRenewalIsAThirdOfTheLeaseTimeAfterTheDecision() {
        attempt.startWriting(value, start.plusNanos(SECOND / 2), 100);
        Tenure tenure = new Tenure(attempt, true);
        assertThat(tenure.renewAt).isEqualTo(new Moment(SECOND / 2 + SECOND));
        assertThat(tenure.isDue(start.plusNanos(SECOND / 2 + SECOND))).isTrue();
        assertThat(tenure.isDue(start.plusNanos(SECOND / 2 + SECOND - 1))).isFalse();
        tenure.extend(renewal(start.plusNanos(2 * SECOND), FleaseCell.WALL + 5_000_000));
        assertThat(tenure.renewAt).isEqualTo(new Moment(3 * SECOND));
        assertThat(tenure.renewals).isEqualTo(1);
        assertThat(new Tenure(attempt, false).isDue(start.plusNanos(2 * SECOND)))
                .isFalse();
    }

    @Test
    void neitherClocksEndMovesBack() {
        attempt.startWriting(value, start, 100);
        Tenure tenure = new Tenure(attempt, true);
        Reading first = tenure.until;
        tenure.extend(renewal(start, FleaseCell.WALL + 1_000_000));
        assertThat(tenure.until).isEqualTo(first);
        assertThat(tenure.isOver(new Reading(first.moment().plusNanos(-1), first.wallMicros() - 1)))
                .isFalse();
        assertThat(tenure.isOver(new Reading(first.moment(), first.wallMicros() - 1)))
                .isTrue();
        assertThat(tenure.isOver(new Reading(first.moment().plusNanos(-1), first.wallMicros())))
                .isTrue();
    }
}
