package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Renewed;
import io.paxoslease.protocol.Effect.Wanted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.flease.FleaseCell.InFlight;
import io.paxoslease.protocol.flease.FleaseMessage.Freed;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import io.paxoslease.protocol.flease.FleaseMessage.WriteAck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Whole conversations of nodes that run Flease. */
class FleaseNodeTest {

    private static final Duration T = Duration.ofSeconds(3);
    private static final Duration EPSILON = FleaseCell.BOUND;

    private final FleaseCell cell = new FleaseCell(3);
    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private Granted acquired(NodeId id, boolean renewed) {
        return cell.hold(id, T, renewed);
    }

    private void crash(NodeId id) {
        cell.start(id, cell.now(id).moment().plusNanos(Duration.ofDays(1).toNanos()));
    }

    private static Predicate<InFlight> not(Class<? extends FleaseMessage> type) {
        return m -> !type.isInstance(m.message());
    }

    // GetLease

    @Test
    void whoReadsNothingAndWritesAtAMajorityIsTheHolder() {
        Reading asked = cell.now(a);
        Granted granted = acquired(a, false);

        assertThat(granted.until()).isEqualTo(asked.plusNanos(T.toNanos()));
        assertThat(granted.token()).isEqualTo(asked.wallMicros());
    }

    @Test
    void theEndIsCountedFromTheDecisionNotFromTheCommit() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(m -> {
            if (m.message() instanceof WriteAck) {
                cell.jump(millis(7));
            }
            return true;
        });
        assertThat(cell.last(a, Granted.class).until().wallMicros()).isEqualTo(FleaseCell.WALL + T.toNanos() / 1_000);
    }

    @Test
    void oneAcceptorThatAnswersTwiceIsNoMajority() {
        FleaseCell five = new FleaseCell(5);
        five.acquire(a, T, false, WaitMode.WAIT);
        five.deliver(m -> {
            boolean toB = m.to().equals(b) || m.from().equals(b);
            if (toB && m.message() instanceof ReadAck) {
                five.arrive(m);
            }
            return toB;
        });
        assertThat(five.all(a, Granted.class)).isEmpty();
        assertThat(five.network).isEmpty();
    }

    @Test
    void anAnswerOfWhoIsNoMemberCountsForNothing() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        Read read = (Read) cell.take(m -> m.to().equals(b)).get(0).message();
        cell.network.clear();
        ReadAck forged = new ReadAck("r", read.round(), read.attempt(), Stored.NOTHING);
        cell.step(a, new Event.Received(new NodeId("z"), forged));

        assertThat(cell.network).isEmpty();
    }

    @Test
    void anotherCannotHaveItBeforeTheBoundHasPassedAfterTheEnd() {
        acquired(a, false);
        cell.acquire(b, T, false, WaitMode.WAIT);
        cell.deliverAll();
        cell.pass(T.plus(EPSILON).minusMillis(1));
        assertThat(cell.all(a, Lost.class)).extracting(Lost::reason).containsExactly(Loss.EXPIRED);
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(millis(10));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void whatWasReadOfAnotherIsWrittenAsItIsWhereAMajorityMayNotHaveIt() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(m -> !(m.message() instanceof Write && m.to().equals(c)));
        Value held = cell.last(a, Granted.class) == null ? Value.NOTHING : written(a, b);
        cell.acquire(c, T, false, WaitMode.WAIT);
        cell.deliver(m -> {
            if (m.message() instanceof Write write) {
                assertThat(write.value()).isEqualTo(held);
            }
            return !m.to().equals(a) && !m.from().equals(a);
        });
        assertThat(cell.all(c, Granted.class)).isEmpty();
        assertThat(Objects.requireNonNull(cell.node(c).view("r", cell.now(c))).certain())
                .isTrue();
    }

    private Value written(NodeId asker, NodeId id) {
        return cell.written(asker, id);
    }

    @Test
    void aWriteWhoseOutcomeIsUnknownHoldsNothingAndIsRespectedByOthers() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(not(WriteAck.class));
        crash(a);
        cell.acquire(b, T, false, WaitMode.WAIT);
        cell.deliverAll();
        cell.pass(T);

        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(EPSILON.plusMillis(10));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aWriteWhoseOutcomeIsUnknownIsTakenBackWhenNobodyWantsItAnyMore() {
        long request = cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(not(WriteAck.class));
        cell.step(a, new Event.Withdraw("r", request));
        cell.deliverAll();

        assertThat(written(a, b).isEmpty()).isTrue();
        acquired(b, false);
    }

    @Test
    void aCommitThatIsHeardOfAfterTheEndGrantsNothing() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        List<InFlight> late = new ArrayList<>();
        cell.deliver(m -> {
            boolean answer = m.message() instanceof WriteAck;
            if (answer) {
                late.add(m);
            }
            return !answer;
        });
        cell.jump(T);
        late.forEach(cell::arrive);
        assertThat(late).isNotEmpty();
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    /** By either clock; so little is not noticed as a clock that was set. */
    @Test
    void theHolderStopsByWhicheverOfItsClocksComesFirstToTheEnd() {
        acquired(a, false);
        cell.setClock(a, millis(10));
        cell.pass(T.minusMillis(11));
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.jump(millis(2));
        cell.acquire(a, T, false, WaitMode.WAIT);
        assertThat(cell.all(a, Lost.class)).extracting(Lost::reason).containsExactly(Loss.EXPIRED);

        FleaseCell back = new FleaseCell(3);
        back.acquire(a, T, false, WaitMode.WAIT);
        back.deliverAll();
        back.setClock(a, millis(-10));
        back.pass(T.minusMillis(1));
        assertThat(back.all(a, Lost.class)).isEmpty();
        back.pass(millis(2));
        assertThat(back.all(a, Lost.class)).extracting(Lost::reason).containsExactly(Loss.EXPIRED);
    }

    // Renewal

    @Test
    void aRenewalAtAThirdMovesTheEndAndKeepsTheToken() {
        Granted granted = acquired(a, true);
        cell.pass(T.dividedBy(3).plusMillis(2));

        Extended extended = cell.last(a, Extended.class);
        assertThat(extended.token()).isEqualTo(granted.token());
        assertThat(granted.until().moment().nanosUntil(extended.until().moment()))
                .isBetween(900_000_000L, 1_100_000_000L);
        assertThat(written(a, b).token()).isEqualTo(granted.token());
    }

    @Test
    void aRenewalThatCommitsAfterTheOldEndIsTooLate() {
        acquired(a, true);
        cell.pass(T.dividedBy(3).minusMillis(1));
        cell.jump(millis(2));
        cell.step(a, new Event.Woken());
        List<InFlight> late = cell.take(m -> m.from().equals(a) && m.message() instanceof Read);
        assertThat(late).isNotEmpty();
        cell.pass(T, m -> !(m.from().equals(a) && m.message() instanceof Read));
        late.forEach(cell::arrive);
        cell.deliverAll();

        assertThat(cell.all(a, Lost.class)).hasSize(1);
        assertThat(cell.all(a, Extended.class)).isEmpty();
    }

    @Test
    void aHolderMayHoldOnForLongerButNeverShortensWhatOthersWereTold() {
        Granted granted = acquired(a, false);
        cell.step(a, new Event.Renew("r", granted.token(), millis(500).toNanos(), 7));
        cell.deliverAll();
        assertThat(cell.last(a, Renewed.class)).isEqualTo(new Renewed(7, true));
        assertThat(written(a, b).endMicros()).isEqualTo(granted.until().wallMicros());

        cell.step(a, new Event.Renew("r", granted.token(), FleaseCell.MAX_LEASE.toNanos(), 8));
        cell.deliverAll();
        assertThat(cell.last(a, Renewed.class)).isEqualTo(new Renewed(8, true));
        assertThat(cell.last(a, Extended.class).until())
                .isEqualTo(cell.now(a).plusNanos(FleaseCell.MAX_LEASE.toNanos()));
    }

    /** Nothing but a broken assumption can bring that about. */
    @Test
    void aHolderThatReadsAnothersTenureStopsAndDoesNotOverwriteIt() {
        Granted granted = acquired(a, true);
        Value others = new Value(
                new Value.Owner(b, new Incarnation(1, 2)), granted.until().wallMicros(), granted.token() + 1);
        Round high = new Round(FleaseCell.WALL / 500_000 + 1, 0, b);
        for (NodeId id : List.of(a, b, c)) {
            cell.step(id, new Event.Received(b, new Write("r", high, 1, others)));
        }
        cell.pass(T.dividedBy(3).plusMillis(10));

        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.CLOCK);
        assertThat(written(a, b)).isEqualTo(others);
    }

    // Release, and who wants it

    @Test
    void aReleasedLeaseGoesToWhoWaitsAtOnceWithAHigherToken() {
        Granted first = acquired(a, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        assertThat(cell.last(a, Wanted.class).token()).isEqualTo(first.token());
        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.deliverAll();

        Granted second = cell.last(b, Granted.class);
        assertThat(second.token()).isGreaterThan(first.token());
    }

    @Test
    void theTokenGrowsAlsoWhenTheNextHoldersClockIsBehind() {
        FleaseCell behind = new FleaseCell(3, false);
        behind.setClock(b, millis(-200));
        behind.start(b, null);
        List.of(a, b, c).forEach(id -> behind.step(id, new Event.Woken()));
        behind.deliverAll();
        behind.acquire(a, T, true, WaitMode.WAIT);
        behind.deliverAll();
        Granted first = behind.last(a, Granted.class);
        behind.step(a, new Event.GiveUp("r", first.token()));
        behind.deliverAll();
        behind.acquire(b, T, true, WaitMode.WAIT);
        behind.deliverAll();

        assertThat(behind.last(b, Granted.class).token()).isEqualTo(first.token() + 1);
    }

    @Test
    void aReleaseIsHeardOfByThoseWhoWaitInTheOrderInWhichTheyCame() {
        Granted first = acquired(a, true);
        cell.acquire(c, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.deliver(not(Freed.class));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(Duration.ofNanos(1));
        acquiredAfterHint(c, 0);
    }

    private void acquiredAfterHint(NodeId id, int ahead) {
        cell.step(id, new Event.Received(a, new Freed("r", ahead)));
        cell.deliverAll();
        assertThat(cell.all(id, Granted.class)).hasSize(1);
    }

    @Test
    void aReleaseDoesNotTouchWhatAnotherHoldsByNow() {
        Granted first = acquired(a, false);
        cell.step(a, new Event.GiveUp("r", first.token()));
        List<InFlight> late = cell.take(m -> m.message() instanceof Read);
        cell.pass(T.plus(EPSILON));
        Granted second = acquired(b, false);
        late.forEach(cell::arrive);
        cell.deliverAll();
        cell.pass(millis(700));

        assertThat(written(a, c).token()).isEqualTo(second.token());
        assertThat(cell.all(b, Lost.class)).isEmpty();
    }

    /** What its first attempt has left here is what the second one reads. */
    @Test
    void aReleaseThatReachedNobodyElseIsTriedAgainAndHeardOf() {
        Granted first = acquired(a, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.deliver(not(Write.class));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(T.dividedBy(2));

        assertThat(cell.all(b, Granted.class)).hasSize(1);
        assertThat(cell.last(b, Granted.class).token()).isGreaterThan(first.token());
    }

    @Test
    void whoAsksOnceIsDeniedAtTheHoldersWord() {
        Granted granted = acquired(a, true);
        long request = cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliverAll();
        assertThat(cell.all(b, Denied.class)).isEmpty();
        cell.step(a, new Event.InUse("r", granted.token()));
        cell.deliverAll();

        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.HELD, a));
    }

    @Test
    void whoAsksOnceHasItWhenTheHolderGivesItUp() {
        Granted granted = acquired(a, true);
        cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();

        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void whoAsksOnceIsDeniedWhenTheHolderSaysNothing() {
        acquired(a, true);
        cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliverAll();
        cell.pass(millis(51));

        assertThat(cell.last(b, Denied.class).reason()).isEqualTo(Denial.HELD);
    }

    @Test
    void whoAsksOnceIsDeniedAtOnceWhereNoMajorityCanBeReached() {
        cell.step(a, new Event.Unreachable(b));
        cell.step(a, new Event.Unreachable(c));
        cell.acquire(a, T, true, WaitMode.TRY_ONCE);

        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.NO_MAJORITY);
    }

    @Test
    void aNodeThatStopsReleasesWithoutWaitingForAnswers() {
        acquired(a, true);
        cell.step(a, new Event.Shutdown());
        cell.deliverAll();
        acquired(b, true);
    }

    /** A copy of the release comes late, to who has promised a lower round only to the one that holds now. */
    @Test
    void aReleaseThatComesLateDoesNotTouchWhatWasReadBeforeTheEnd() {
        for (int tries = 0; tries < 20; tries++) {
            lateReleaseAfterAnEarlyRead(new FleaseCell(3), tries);
        }
    }

    private void lateReleaseAfterAnEarlyRead(FleaseCell three, int tries) {
        three.pass(millis(10));
        three.acquire(a, FleaseCell.MAX_LEASE, false, WaitMode.WAIT);
        three.deliverAll();
        three.pass(FleaseCell.MAX_LEASE.minusMillis(11 + tries));
        three.acquire(b, FleaseCell.MAX_LEASE, false, WaitMode.WAIT);
        List<InFlight> early = three.take(m -> m.message() instanceof Read);
        three.step(a, new Event.Shutdown());
        List<InFlight> late = three.take(m -> m.message() instanceof Write && m.to().equals(c));
        three.network.clear();
        three.pass(
                EPSILON.plusMillis(20 + tries),
                m -> !m.to().equals(a) && !m.from().equals(a));
        early.stream().filter(m -> m.to().equals(c)).forEach(three::arrive);
        three.deliver(m -> !m.to().equals(a) && !m.from().equals(a));
        late.forEach(three::arrive);
        three.acquire(c, FleaseCell.MAX_LEASE, false, WaitMode.WAIT);
        three.deliver(m -> !m.to().equals(a) && !m.from().equals(a));
        three.pass(Duration.ofSeconds(1), m -> !m.to().equals(a) && !m.from().equals(a));

        assertThat(three.all(b, Granted.class).size()
                        + three.all(c, Granted.class).size())
                .isEqualTo(1);
    }

    @Test
    void aLeaseThatIsTooLongIsRefused() {
        cell.acquire(a, FleaseCell.MAX_LEASE.plusNanos(1), true, WaitMode.WAIT);
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.REFUSED);
    }

    // The register

    @Test
    void aRoundBelowAPromiseIsRefusedAndTheRefusalNamesThePromise() {
        Round low = new Round(FleaseCell.WALL / 500_000, 1, a);
        Round high = new Round(FleaseCell.WALL / 500_000, 2, c);
        assertThat(answer(new Read("r", high, 1, Interest.NONE))).isInstanceOf(ReadAck.class);
        assertThat(answer(new Read("r", low, 2, Interest.NONE))).isEqualTo(new Nack("r", low, 2, high));
        assertThat(answer(new Write("r", low, 3, Value.NOTHING))).isEqualTo(new Nack("r", low, 3, high));
        assertThat(answer(new Write("r", high, 4, Value.NOTHING))).isEqualTo(new WriteAck("r", high, 4));
        assertThat(answer(new Read("r", high, 5, Interest.NONE))).isEqualTo(new Nack("r", high, 5, high));
    }

    @Test
    void aReadThatComesTwiceIsAnsweredTwice() {
        Read read = new Read("r", new Round(FleaseCell.WALL / 500_000, 1, a), 1, Interest.NONE);
        assertThat(answer(read)).isEqualTo(answer(read)).isInstanceOf(ReadAck.class);
    }

    private FleaseMessage answer(FleaseMessage.Request question) {
        cell.step(b, new Event.Received(a, question));
        return cell.take(m -> m.from().equals(b) && m.message() instanceof FleaseMessage.Reply)
                .get(0)
                .message();
    }

    // Who knows what

    @Test
    void everyNodeThatAsksKnowsTheHolderAndTheEndForCertain() {
        Granted granted = acquired(a, false);
        assertThat(Objects.requireNonNull(cell.node(c).view("r", cell.now(c))).certain())
                .isFalse();
        cell.step(c, new Event.QueryHolder(List.of("r", "other"), 5));
        cell.deliverAll();

        assertThat(cell.all(c, io.paxoslease.protocol.Effect.HolderKnown.class)).hasSize(1);
        LeaseView view = Objects.requireNonNull(cell.node(c).view("r", cell.now(c)));
        assertThat(view.owner()).isEqualTo(a);
        assertThat(view.certain()).isTrue();
        assertThat(view.remainingNanos())
                .isEqualTo((granted.until().wallMicros() - cell.now(c).wallMicros()) * 1_000);
        assertThat(cell.node(c).view("other", cell.now(c))).isNull();
        cell.jump(T);
        assertThat(cell.node(c).view("r", cell.now(c))).isNull();
    }

    @Test
    void aLookDoesNotDisturbWhoeverIsAtWork() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        List<InFlight> reads = cell.take(m -> m.message() instanceof Read);
        reads.forEach(cell::arrive);
        cell.step(c, new Event.QueryHolder(List.of("r"), 5));
        cell.deliverAll();
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void whatAMinorityHasIsAHint() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(m -> !(m.message() instanceof Write && !m.to().equals(b))
                && !m.from().equals(b));
        // a's own acceptor has it and b's; c's does not
        cell.step(c, new Event.QueryHolder(List.of("r"), 5));
        cell.deliver(m -> !m.to().equals(a) && !m.from().equals(a));
        cell.jump(millis(600));
        cell.step(c, new Event.Woken());
        assertThat(cell.node(c).view("r", cell.now(c))).isNull();
        assertThat(Objects.requireNonNull(cell.node(b).view("r", cell.now(b))).certain())
                .isFalse();
    }

    // Recovery and forgetting

    @Test
    void aNodeThatLostItsMemoryNeitherAnswersNorAsksUntilAllItMayHaveForgottenIsOver() {
        acquired(a, false);
        cell.restart(b);
        cell.restart(c);
        cell.acquire(b, T, false, WaitMode.WAIT);
        assertThat(cell.network).allMatch(m -> m.message() instanceof FleaseMessage.Compare);
        cell.step(
                b, new Event.Received(a, new Read("r", new Round(FleaseCell.WALL / 500_000, 1, a), 9, Interest.NONE)));
        assertThat(cell.network).allMatch(m -> m.message() instanceof FleaseMessage.Compare);
        cell.pass(cell.silence().minusMillis(1));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        assertThat(cell.silence()).isGreaterThan(FleaseCell.MAX_LEASE.plus(EPSILON));
        cell.pass(millis(50));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aNodeThatMayHaveBeenRestoredFromASnapshotStartsAnew() {
        Granted granted = acquired(a, true);
        cell.step(a, new Event.ClocksDisagree(true));

        assertThat(cell.last(a, Lost.class)).isEqualTo(new Lost("r", granted.token(), Loss.SUSPENDED));
        assertThat(cell.node(a).view(cell.now(a)).quarantineRemainingNanos())
                .isEqualTo(cell.silence().toNanos());
    }

    @Test
    void whatIsOverIsForgottenAndRoundsOfThatTimeAreRefused() {
        Granted granted = acquired(a, false);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        Round old = new Round(FleaseCell.WALL / 500_000, Long.MAX_VALUE, c);
        cell.pass(Duration.ofSeconds(9));
        assertThat(written(a, b)).isEqualTo(Value.NOTHING);
        assertThat(answer(new Write("r", old, 1, granted(granted)))).isEqualTo(new Nack("r", old, 1, Round.NONE));
    }

    /** Whatever was promised before is refused, though the promise is forgotten. */
    @Test
    void roundsOfBeforeTheSilenceAreRefusedAfterIt() {
        Round old = new Round(FleaseCell.WALL / 500_000 + 2, 1, c);
        cell.restart(b);
        cell.pass(cell.silence().plusMillis(10));
        assertThat(answer(new Write("r", old, 1, Value.NOTHING))).isEqualTo(new Nack("r", old, 1, Round.NONE));
        Round slow = new Round(cell.now(b).wallMicros() / 500_000 - 1, 1, c);
        assertThat(answer(new Read("r", slow, 2, Interest.NONE))).isInstanceOf(ReadAck.class);
    }

    /** Else a release without a read, of the time before its end, could come to those who have forgotten it. */
    @Test
    void aLeaseIsForgottenWhenRoundsOfTheTimeBeforeItsEndAreRefused() {
        Granted granted = acquired(a, false);
        cell.pass(FleaseCell.MAX_LEASE.plus(T).plus(EPSILON.multipliedBy(4)).minusMillis(10));
        assertThat(written(a, b).token()).isEqualTo(granted.token());
        cell.pass(FleaseCell.MAX_LEASE.plusSeconds(2));
        assertThat(written(a, b)).isEqualTo(Value.NOTHING);
    }

    @Test
    void whatWasNotOverWhenTheReadBeganIsReadAgain() {
        acquired(a, false);
        cell.pass(T.plus(EPSILON).minusMillis(10));
        cell.acquire(b, T, false, WaitMode.WAIT);
        List<InFlight> early = cell.take(m -> m.message() instanceof Read);
        cell.jump(millis(20));
        early.forEach(cell::arrive);
        cell.deliver(m -> {
            assertThat(m.message()).isNotInstanceOf(Write.class);
            return true;
        });
        cell.pass(millis(20));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aTenureThatNearlyEndsIsNotReleasedWithoutARead() {
        acquired(a, false);
        cell.pass(T.minus(EPSILON.multipliedBy(2)));
        cell.step(a, new Event.Shutdown());
        assertThat(cell.network).noneMatch(m -> m.message() instanceof Write);
    }

    // Peers with faults

    @Test
    void aTokenFromTheFarFutureIsNeitherStoredNorCounted() {
        Round round = new Round(FleaseCell.WALL / 500_000, 1, a);
        Value absurd = new Value(null, 0, Long.MAX_VALUE);
        assertThat(answer(new Write("r", round, 1, absurd))).isEqualTo(new Nack("r", round, 1, Round.NONE));

        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(m -> {
            if (m.message() instanceof ReadAck ack && m.from().equals(b)) {
                Stored stored = new Stored(round, new Value(null, 0, Long.MAX_VALUE / 2));
                cell.arrive(new InFlight(b, a, new ReadAck("r", ack.round(), ack.attempt(), stored)));
            }
            return !m.from().equals(b);
        });
        assertThat(cell.last(a, Granted.class).token()).isEqualTo(FleaseCell.WALL);
    }

    @Test
    void anEndFromTheFarFutureIsNotStored() {
        Round round = new Round(FleaseCell.WALL / 500_000, 1, a);
        long latest = FleaseCell.WALL + FleaseCell.MAX_LEASE.plus(EPSILON).toNanos() / 1_000;
        Value.Owner owner = new Value.Owner(a, new Incarnation(1, 2));
        assertThat(answer(new Write("r", round, 1, new Value(owner, latest + 1, 5))))
                .isInstanceOf(Nack.class);
        assertThat(answer(new Write("r", round, 2, new Value(owner, latest, 5))))
                .isInstanceOf(WriteAck.class);
    }

    private Value granted(Granted granted) {
        return new Value(
                new Value.Owner(a, new Incarnation(1, 2)), granted.until().wallMicros(), granted.token());
    }
}
