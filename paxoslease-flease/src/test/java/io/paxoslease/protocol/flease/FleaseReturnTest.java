package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.ClockAhead;
import io.paxoslease.protocol.Effect.ClockBound;
import io.paxoslease.protocol.Effect.ClocksCompared;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.HolderKnown;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Notice;
import io.paxoslease.protocol.Effect.Wanted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.flease.FleaseCell.InFlight;
import io.paxoslease.protocol.flease.FleaseMessage.Compare;
import io.paxoslease.protocol.flease.FleaseMessage.Compared;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.Reply;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A node that takes part no more, because of a clock or of what it has forgotten, and one that does again. */
class FleaseReturnTest {

    private static final Duration T = Duration.ofSeconds(3);
    private static final Duration V = Duration.ofSeconds(5);
    private static final Duration HOUR_BACK = Duration.ofHours(-1);
    private static final Duration STEP = Duration.ofMillis(60);

    private final FleaseCell cell = new FleaseCell(3);
    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private NodeView view(NodeId id) {
        return cell.node(id).view(cell.now(id));
    }

    private boolean isCertain(NodeId id) {
        LeaseView lease = cell.node(id).view("r", cell.now(id));
        return lease != null && lease.certain();
    }

    private void setClock(NodeId id, Duration ahead) {
        cell.setClock(id, ahead);
        cell.step(id, new Event.Woken());
    }

    private void setAllClocksBack() {
        List.of(a, b, c).forEach(id -> setClock(id, HOUR_BACK));
        cell.network.clear();
    }

    private static boolean isOfClocks(InFlight m) {
        return m.message() instanceof Compare || m.message() instanceof Compared;
    }

    private FleaseMessage answer(FleaseMessage.Request question) {
        cell.step(b, new Event.Received(c, question));
        return cell.take(m -> m.from().equals(b) && m.message() instanceof Reply)
                .get(0)
                .message();
    }

    // A clock that was set

    /** What the node wrote before is another's to it, and answers to what it asked before are nobody's. */
    @Test
    void whoseClockWasSetIsAnotherOwnerFromThenOn() {
        cell.hold(a, T, false);
        Object before = view(a).incarnation();
        setClock(a, STEP);
        assertThat(view(a).incarnation()).isNotEqualTo(before);
    }

    @Test
    void anAttemptUnderWayIsOverWhenTheNodeStandsBack() {
        cell.acquire(a, T, true, WaitMode.WAIT);
        Read read = (Read) cell.take(m -> m.message() instanceof Read).get(0).message();
        FleaseProbe probe = new FleaseProbe(cell.node(a));
        assertThat(probe.isInFlight("r", read.attempt())).isTrue();
        setClock(a, STEP);
        assertThat(probe.isInFlight("r", read.attempt())).isFalse();
    }

    @Test
    void whoAsksOnceIsDeniedWhenTheNodeStandsBack() {
        cell.hold(a, T, true);
        long request = cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliverAll();
        setClock(b, STEP);
        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.NO_MAJORITY, null));
    }

    @Test
    void aLeaseThatHadEndedBeforeTheClockWasSetHasExpired() {
        cell.hold(a, T, false);
        cell.jump(T);
        setClock(a, STEP);
        assertThat(cell.all(a, Lost.class)).extracting(Lost::reason).containsExactly(Loss.EXPIRED);
    }

    /** Rounds of before are rounds of the future then: whoever went on from one would be refused for an hour. */
    @Test
    void aCellWhoseClocksAreSetBackGoesOnAfterTheSilence() {
        cell.hold(a, T, false);
        Read high = new Read("r", new Round(FleaseCell.SLOT + 1, Long.MAX_VALUE / 2, a), 9, Interest.NONE);
        List.of(a, c).forEach(id -> cell.step(id, new Event.Received(a, high)));
        cell.network.clear();
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(c, new Event.QueryHolder(List.of("r"), 5));
        cell.deliverAll();
        assertThat(isCertain(c)).isTrue();
        setAllClocksBack();
        cell.pass(cell.silence().plusMillis(600));

        assertThat(cell.all(b, Granted.class)).hasSize(1);
        cell.step(b, new Event.GiveUp("r", cell.last(b, Granted.class).token()));
        cell.deliverAll();
        assertThat(cell.node(c).view("r", cell.now(c))).isNull();
        assertThat(cell.hold(a, T, false).until().wallMicros()).isLessThan(FleaseCell.WALL);
    }

    @Test
    void roundsOfBeforeTheSilenceOfASetClockAreRefusedAfterIt() {
        setClock(b, STEP);
        cell.setClock(b, Duration.ZERO);
        cell.pass(cell.silence().plusMillis(600));
        assertThat(view(b).quarantineRemainingNanos()).isZero();
        Round old = new Round(cell.now(b).wallMicros() / 500_000 - 3, 1, c);
        assertThat(answer(new Write("r", old, 1, Value.NOTHING))).isEqualTo(new Nack("r", old, 1, Round.NONE));
    }

    @Test
    void whatOthersWantedBeforeIsForgotten() {
        cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        assertThat(cell.all(a, Wanted.class)).hasSize(1);
        cell.start(b, new Moment(Long.MAX_VALUE / 2));
        setClock(a, STEP);
        cell.setClock(a, Duration.ZERO);
        cell.pass(cell.silence().plusMillis(600));
        cell.hold(a, T, true);
        assertThat(cell.all(a, Wanted.class)).hasSize(1);
    }

    @Test
    void itsClockIsComparedAtOnceAndTheNodeSaysWhatIsWrongWhenThatIsKnown() {
        setClock(a, Duration.ofSeconds(10));
        assertThat(cell.network).anyMatch(m -> m.from().equals(a) && m.message() instanceof Compare);
        assertThat(cell.all(a, ClockBound.class)).containsExactly(new ClockBound(false, true, null));
        cell.pass(Duration.ofSeconds(2));
        List<ClockBound> said = cell.all(a, ClockBound.class);
        assertThat(said).hasSize(2);
        assertThat(Objects.requireNonNull(said.get(1).worst()).offsetMicros()).isBetween(-10_001_000L, -9_999_000L);
        setClock(a, Duration.ZERO);
        cell.pass(cell.silence().plusMillis(600));
        assertThat(cell.all(a, ClockBound.class)).hasSize(3);
        assertThat(cell.last(a, ClockBound.class).kept()).isTrue();
        setClock(a, STEP);
        assertThat(cell.last(a, ClockBound.class)).isEqualTo(new ClockBound(false, true, null));
    }

    /** What comes then is the network's doing. */
    @Test
    void thatItsClockWasSetIsToldOnce() {
        setClock(a, STEP);
        cell.setClock(a, Duration.ZERO);
        cell.pass(millis(600));
        assertThat(cell.last(a, ClockBound.class).kept()).isTrue();
        cell.pass(V.plusMillis(100), m -> false);
        assertThat(view(a).quarantineRemainingNanos()).as("still silent").isPositive();
        assertThat(cell.last(a, ClockBound.class)).isEqualTo(new ClockBound(false, false, null));
    }

    // A snapshot, a restart

    @Test
    void aCopyOfAnEarlierStateKnowsNothingOfClocksAndTellsNobodyOfItsOwn() {
        cell.step(a, new Event.ClocksDisagree(true));
        assertThat(view(a).clocks()).isEmpty();
        assertThat(view(a).clockInBounds()).isTrue(); // not why it is silent
        cell.network.clear();
        cell.step(a, new Event.Received(b, new Compare(1)));
        assertThat(cell.network).noneMatch(m -> m.message() instanceof Compared);
    }

    @Test
    void itComplainsOfItsClockOnlyWhenNobodyCanBeComparedFor5Seconds() {
        cell.step(a, new Event.ClocksDisagree(true));
        cell.network.clear();
        cell.pass(V.minusMillis(1), m -> false);
        assertThat(cell.all(a, ClockBound.class)).isEmpty();
        cell.pass(millis(300), m -> false);
        assertThat(cell.all(a, ClockBound.class)).containsExactly(new ClockBound(false, false, null));
    }

    @Test
    void clocksThatDisagreeForOtherReasonsTakeNothing() {
        cell.hold(a, T, true);
        cell.step(a, new Event.ClocksDisagree(false));
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(view(a).quarantineRemainingNanos()).isZero();
    }

    @Test
    void aSnapshotAfterAClockThatWasSetIsToldAsOne() {
        setClock(a, STEP);
        assertThat(view(a).clockInBounds()).isFalse();
        cell.setClock(a, Duration.ZERO);
        cell.pass(cell.silence().plusMillis(600));
        assertThat(view(a).quarantineRemainingNanos()).isZero();
        cell.step(a, new Event.ClocksDisagree(true));
        assertThat(view(a).clockInBounds()).isTrue();
        assertThat(view(a).quarantineRemainingNanos()).isPositive();
    }

    @Test
    void whoStartsDoesNotComplainBeforeItCouldCompareItsClockOrWhileItIsSilent() {
        cell.restart(b);
        cell.step(b, new Event.Woken());
        assertThat(view(b).clockInBounds()).isTrue();
        cell.pass(cell.silence().minusMillis(2), m -> false);
        assertThat(cell.all(b, ClockBound.class)).isEmpty();
        cell.pass(millis(500), m -> false);
        assertThat(cell.all(b, ClockBound.class)).containsExactly(new ClockBound(false, false, null));

        FleaseCell fresh = new FleaseCell(3, false);
        fresh.step(a, new Event.Woken());
        fresh.pass(V.minusMillis(1), m -> false);
        assertThat(fresh.all(a, ClockBound.class)).isEmpty();
    }

    /** A node is made before its port is bound, and silent from then on (A0). */
    @Test
    void aCellThatStartsSaysNothingOfItsClocks() {
        List<NodeId> all = List.of(a, b, c);
        all.forEach(cell::restart);
        cell.pass(Duration.ofSeconds(1));
        all.forEach(id -> cell.step(id, new Event.OtherLife(null, 0)));
        cell.pass(cell.silence().plusMillis(600));
        for (NodeId id : all) {
            assertThat(view(id).quarantineRemainingNanos()).isZero();
            assertThat(cell.all(id, ClockBound.class)).isEmpty();
        }
    }

    // Another process of the same node

    /** A0: it counts from its start, and another process of b has been seen since. */
    @Test
    void whoStartsIsSilentUntilWhatALaterProcessMayHaveStoredIsOver() {
        cell.restart(b);
        cell.pass(cell.silence().minusMillis(100));
        cell.step(b, new Event.OtherLife(a, 0));

        assertThat(view(b).quarantineRemainingNanos()).isEqualTo(cell.silence().toNanos());
        assertThat(cell.last(b, Notice.class).text())
                .contains("Node 'b': member 'a' was connected to another process with this node id until 0 ms ago");
        cell.pass(cell.silence().plusMillis(600));
        assertThat(view(b).quarantineRemainingNanos()).isZero();
    }

    @Test
    void whoTakesPartForgetsAndIsSilentWhenAnotherProcessWasSeen() {
        cell.hold(b, T, false);
        cell.step(b, new Event.OtherLife(a, cell.silence().toNanos() / 2));

        assertThat(cell.all(b, Lost.class)).extracting(Lost::reason).containsExactly(Loss.SUSPENDED);
        assertThat(view(b).quarantineRemainingNanos()).isEqualTo(cell.silence().toNanos());
    }

    @Test
    void aProcessThatWasSeenLongAgoChangesNothing() {
        cell.hold(b, T, false);
        cell.step(b, new Event.OtherLife(a, cell.silence().multipliedBy(2).toNanos()));

        assertThat(cell.all(b, Lost.class)).isEmpty();
        assertThat(view(b).quarantineRemainingNanos()).isZero();
    }

    // Out of bounds for a while

    @Test
    void whoHasComparedItsClockWithAMajorityTakesPartAtOnce() {
        FleaseCell fresh = new FleaseCell(3, false);
        fresh.acquire(a, T, false, WaitMode.WAIT);
        List<InFlight> questions = fresh.take(m -> m.to().equals(b));
        questions.forEach(fresh::arrive);
        fresh.take(m -> m.message() instanceof Compared).forEach(fresh::arrive);
        assertThat(fresh.network).anyMatch(m -> m.message() instanceof Read);
    }

    /** Nothing was forgotten, so no round is refused that was not before. */
    @Test
    void whoWasOutOfBoundsForAWhileServesWhatItServedBefore() {
        cell.restart(b);
        cell.pass(cell.silence().plusMillis(600));
        cell.pass(V.plusMillis(100), m -> !isOfClocks(m));
        assertThat(view(b).clockInBounds()).isFalse();
        Round slow = new Round(cell.now(b).wallMicros() / 500_000 - 2, 1, c);
        cell.pass(millis(600));
        assertThat(view(b).clockInBounds()).isTrue();
        assertThat(answer(new Read("r", slow, 1, Interest.NONE))).isInstanceOf(ReadAck.class);
    }

    @Test
    void nothingIsCertainByAClockThatIsOutOfBounds() {
        cell.hold(a, T, true);
        cell.pass(V.minusMillis(100), m -> !isOfClocks(m) || !m.to().equals(c));
        cell.step(c, new Event.QueryHolder(List.of("r"), 5));
        cell.deliver(m -> !isOfClocks(m) || !m.to().equals(c));
        assertThat(isCertain(c)).isTrue();
        cell.pass(millis(1_100), m -> !isOfClocks(m) || !m.to().equals(c));
        assertThat(view(c).clockInBounds()).isFalse();
        assertThat(cell.node(c).view("r", cell.now(c))).isNotNull();
        assertThat(isCertain(c)).isFalse();
    }

    @Test
    void aLookEndsWhenTheNodeStandsBackAndAtOnceWhileItTakesNoPart() {
        cell.step(a, new Event.QueryHolder(List.of("r"), 5));
        assertThat(cell.all(a, HolderKnown.class)).isEmpty();
        setClock(a, STEP);
        assertThat(cell.all(a, HolderKnown.class)).containsExactly(new HolderKnown(5));
        cell.step(a, new Event.QueryHolder(List.of("r"), 6));
        assertThat(cell.last(a, HolderKnown.class)).isEqualTo(new HolderKnown(6));
    }

    // What people are told

    @Test
    void aLookEndsWhenNobodyElseCanAnswerOrTheNodeStops() {
        cell.step(a, new Event.QueryHolder(List.of("r"), 5));
        cell.step(a, new Event.Unreachable(b));
        assertThat(cell.all(a, HolderKnown.class)).isEmpty();
        cell.step(a, new Event.Unreachable(c));
        assertThat(cell.all(a, HolderKnown.class)).containsExactly(new HolderKnown(5));
        cell.step(b, new Event.QueryHolder(List.of("r"), 6));
        cell.step(b, new Event.Shutdown());
        assertThat(cell.last(b, HolderKnown.class)).isEqualTo(new HolderKnown(6));
    }

    @Test
    void aLookThatNobodyAnswersEndsInTime() {
        cell.step(a, new Event.QueryHolder(List.of("r"), 5));
        cell.network.clear();
        cell.pass(millis(499), m -> isOfClocks(m));
        assertThat(cell.all(a, HolderKnown.class)).isEmpty();
        cell.pass(millis(2), m -> isOfClocks(m));
        assertThat(cell.all(a, HolderKnown.class)).hasSize(1);
    }

    @Test
    void everyComparisonIsTold() {
        assertThat(cell.last(a, ClocksCompared.class).clocks())
                .isEqualTo(view(a).clocks())
                .hasSize(2);
    }

    @Test
    void whoStoppedDoesNothing() {
        cell.step(b, new Event.Shutdown());
        cell.network.clear();
        cell.step(b, new Event.Received(c, new Read("r", new Round(FleaseCell.SLOT, 1, c), 1, Interest.NONE)));
        assertThat(cell.network).isEmpty();
        assertThat(cell.node(b).nextDeadline()).isNull();
    }

    @Test
    void aRoundFromTheEndOfTimeIsFarAheadAndNotBehind() {
        cell.step(a, new Event.Received(b, new Read("r", new Round(Long.MAX_VALUE, 1, b), 1, Interest.NONE)));
        assertThat(cell.last(a, ClockAhead.class).aheadMicros()).isPositive();
    }

    /** Nobody else knows how far its tokens have come. */
    @Test
    void aCellOfOneGoesOnAboveTheTokensOfItsEarlierLives() {
        FleaseCell one = new FleaseCell(1);
        long far = FleaseCell.WALL + Duration.ofHours(1).toNanos() / 1_000;
        one.node(a).continueAbove(far);
        assertThat(one.node(a).highestToken()).isEqualTo(far);
        assertThat(one.hold(a, T, true).token()).isEqualTo(far + 1);
        assertThat(one.node(a).highestToken()).isEqualTo(far + 1);
        one.pass(T);
        assertThat(one.all(a, Lost.class)).isEmpty();
        assertThat(one.all(a, Extended.class)).isNotEmpty();
        one.setClock(a, STEP);
        one.step(a, new Event.Woken());
        assertThat(view(one, a).quarantineRemainingNanos()).isZero();
    }

    private static NodeView view(FleaseCell cell, NodeId id) {
        return cell.node(id).view(cell.now(id));
    }
}
