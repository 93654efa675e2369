package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Renewed;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.flease.FleaseCell.InFlight;
import io.paxoslease.protocol.flease.FleaseMessage.Freed;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import io.paxoslease.protocol.flease.FleaseMessage.WriteAck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A round and what comes of it for the holder: the lease is renewed, given up, or ends. */
class FleaseHoldTest {

    private static final Duration T = Duration.ofSeconds(3);

    private final FleaseCell cell = new FleaseCell(3);
    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private static boolean isRead(InFlight m) {
        return m.message() instanceof Read;
    }

    /** The other member's messages, and those to it, are lost. */
    private Predicate<InFlight> without(NodeId id) {
        return m -> !m.to().equals(id) && !m.from().equals(id);
    }

    private static boolean isOfClocks(InFlight m) {
        return m.message() instanceof FleaseMessage.Compare || m.message() instanceof FleaseMessage.Compared;
    }

    private void renew(Granted granted, Duration lease, long requestId) {
        cell.step(a, new Event.Renew("r", granted.token(), lease.toNanos(), requestId));
    }

    private int claims(NodeId id) {
        return new FleaseProbe(cell.node(id)).claims();
    }

    // Rounds

    private void promise(NodeId at, Round round) {
        cell.step(at, new Event.Received(b, new Read("r", round, 9, Interest.NONE)));
        cell.network.clear();
    }

    @Test
    void whatIsPromisedHereIsExceededAtOnce() {
        Round high = new Round(FleaseCell.SLOT, Long.MAX_VALUE - 5, b);
        promise(a, high);
        cell.acquire(a, T, false, WaitMode.WAIT);
        Read read = (Read) cell.take(FleaseHoldTest::isRead).get(0).message();
        assertThat(read.round()).isGreaterThan(high);
    }

    @Test
    void whatARefusalNamesIsExceededByTheNextRound() {
        Round high = new Round(FleaseCell.SLOT, 1L << 62, c);
        promise(b, high);
        promise(c, high);
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.pass(millis(20));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    /** It would be refused everywhere. */
    @Test
    void aRoundFromTheFutureIsNotExceeded() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        for (InFlight m : cell.take(FleaseHoldTest::isRead)) {
            Read read = (Read) m.message();
            Round far = new Round(FleaseCell.SLOT + 100, 1, m.to());
            cell.step(a, new Event.Received(m.to(), new Nack("r", read.round(), read.attempt(), far)));
        }
        cell.pass(millis(20));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void aRefusalOfWhoHasAgreedCountsForNothing() {
        FleaseCell five = new FleaseCell(5);
        five.acquire(a, T, false, WaitMode.WAIT);
        List<InFlight> reads = five.take(FleaseHoldTest::isRead);
        five.arrive(reads.get(0));
        five.deliverAll();
        for (InFlight m : reads.subList(0, 3)) {
            Read read = (Read) m.message();
            five.step(a, new Event.Received(m.to(), new Nack("r", read.round(), read.attempt(), Round.NONE)));
        }
        five.arrive(reads.get(3));
        five.deliverAll();
        assertThat(five.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void answersToAnAttemptThatIsOverCountForNothing() {
        long request = cell.acquire(a, T, false, WaitMode.WAIT);
        cell.take(FleaseHoldTest::isRead).forEach(cell::arrive);
        List<InFlight> late = cell.take(m -> m.to().equals(a));
        cell.step(a, new Event.Withdraw("r", request));
        cell.acquire(a, T, false, WaitMode.WAIT);
        late.forEach(cell::arrive);
        assertThat(late).hasSize(2);
        assertThat(cell.network).isNotEmpty().allMatch(FleaseHoldTest::isRead);
    }

    /** Its outcome was unknown: it may be there, and it is nobody else's. */
    @Test
    void whatItWroteItselfIsNotInItsWay() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(m -> !(m.message() instanceof WriteAck));
        cell.pass(Duration.ofSeconds(1));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void whoBeginsAfterAWaitIsNotWokenForThatWaitAgain() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.pass(Duration.ofSeconds(2), FleaseHoldTest::isOfClocks);
        assertThat(cell.now(a)
                        .moment()
                        .isBefore(Objects.requireNonNull(cell.node(a).nextDeadline())))
                .isTrue();
    }

    // Renewal

    /** Nothing has woken the node at its end. */
    @Test
    void aRenewalThatIsAnsweredAfterTheEndDoesNotExtend() {
        Granted granted = cell.hold(a, T, false);
        renew(granted, T, 7);
        List<InFlight> late = new ArrayList<>();
        cell.deliver(m -> !(m.message() instanceof WriteAck && late.add(m)));
        cell.jump(T);
        late.forEach(cell::arrive);

        assertThat(late).isNotEmpty();
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(cell.all(a, Renewed.class)).containsExactly(new Renewed(7, false));
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }

    @Test
    void onlyTheTenureItselfIsRenewedAndForNoLongerThanTheLongestLease() {
        Granted granted = cell.hold(a, T, false);
        cell.step(a, new Event.Renew("r", granted.token() + 1, T.toNanos(), 1));
        renew(granted, FleaseCell.MAX_LEASE.plusNanos(1), 2);
        renew(granted, Duration.ZERO, 3);
        cell.deliverAll();
        assertThat(cell.all(a, Renewed.class))
                .containsExactly(new Renewed(1, false), new Renewed(2, false), new Renewed(3, false));
        assertThat(cell.all(a, Extended.class)).isEmpty();
    }

    @Test
    void aShortWishDoesNotShortenWhatIsRenewedAnyway() {
        Granted granted = cell.hold(a, T, true);
        cell.pass(millis(500));
        renew(granted, millis(100), 7);
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until()).isEqualTo(cell.now(a).plusNanos(T.toNanos()));
    }

    @Test
    void ofSeveralWishesTheLongestCounts() {
        Granted granted = cell.hold(a, T, false);
        renew(granted, T, 1);
        renew(granted, FleaseCell.MAX_LEASE, 2);
        renew(granted, Duration.ofSeconds(4), 3);
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until())
                .isEqualTo(cell.now(a).plusNanos(FleaseCell.MAX_LEASE.toNanos()));
        assertThat(cell.all(a, Renewed.class)).hasSize(3).allMatch(Renewed::extended);
    }

    @Test
    void aWishOutlivesAnAttemptThatFails() {
        Granted granted = cell.hold(a, T, false);
        renew(granted, T, 7);
        cell.network.clear();
        cell.pass(Duration.ofSeconds(1));
        assertThat(cell.all(a, Renewed.class)).containsExactly(new Renewed(7, true));
    }

    @Test
    void whatIsNotToBeRenewedIsNot() {
        cell.hold(a, T, false);
        cell.pass(T.dividedBy(2));
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).isEmpty();
    }

    @Test
    void theEndOfATenureAnswersWhoWantedToHoldOn() {
        Granted granted = cell.hold(a, T, false);
        renew(granted, T, 7);
        cell.pass(T, without(a));
        assertThat(cell.all(a, Renewed.class)).containsExactly(new Renewed(7, false));
    }

    /** Neither the name of the node nor the token alone makes a tenure. */
    @Test
    void whatDiffersInOwnerOrTokenIsAnothers() {
        Granted first = cell.hold(a, T, true);
        Value.Owner self = new Value.Owner(a, cell.node(a).view(cell.now(a)).incarnation());
        Value.Owner other = new Value.Owner(a, new Incarnation(1, 2));
        long end = first.until().wallMicros();
        assertThat(lostTo(new Value(self, end, first.token() + 1))).isTrue();
        FleaseCell again = new FleaseCell(3);
        Granted second = again.hold(a, T, true);
        assertThat(lostTo(again, new Value(other, end, second.token()))).isTrue();
    }

    private boolean lostTo(Value value) {
        return lostTo(cell, value);
    }

    private boolean lostTo(FleaseCell in, Value value) {
        for (NodeId id : List.of(a, b, c)) {
            in.step(id, new Event.Received(b, new Write("r", new Round(FleaseCell.SLOT + 1, 0, b), 1, value)));
        }
        in.pass(T.dividedBy(3).plusMillis(10));
        return in.all(a, Lost.class).size() == 1 && in.written(a, b).equals(value);
    }

    @Test
    void aHolderIsShownWithWhatIsLeftAndHowOftenItRenewed() {
        cell.hold(a, T, true);
        cell.pass(T.plusMillis(10));
        LeaseView held = Objects.requireNonNull(cell.node(a).view("r", cell.now(a)));
        assertThat(held.state()).isEqualTo(LeaseView.State.HELD);
        assertThat(held.renewals()).isBetween(2L, 3L);
    }

    @Test
    void whatWasReadIsKnownWithoutAskingAgain() {
        cell.hold(a, T, false);
        cell.acquire(c, T, false, WaitMode.WAIT);
        cell.deliverAll();
        assertThat(Objects.requireNonNull(cell.node(c).view("r", cell.now(c))).certain())
                .isTrue();
        assertThat(Objects.requireNonNull(cell.node(b).view("r", cell.now(b))).certain())
                .isFalse();
    }

    // Release

    @Test
    void anotherTokenGivesNothingUp() {
        Granted granted = cell.hold(a, T, false);
        cell.step(a, new Event.GiveUp("r", granted.token() + 1));
        assertThat(Objects.requireNonNull(cell.node(a).view("r", cell.now(a))).state())
                .isEqualTo(LeaseView.State.HELD);
    }

    @Test
    void aReleaseIsTriedUntilItIsDone() {
        Granted granted = cell.hold(a, T, false);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.pass(T.plusMillis(10), without(a));
        assertThat(cell.written(a, b).isEmpty()).isFalse();
        cell.pass(millis(700));
        assertThat(cell.written(a, b).isEmpty()).isTrue();
        assertThat(claims(a)).isZero();
    }

    @Test
    void aReleaseThatNobodyHearsOfIsNotTriedForEver() {
        Granted granted = cell.hold(a, T, false);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.pass(T.plus(FleaseCell.MAX_LEASE).plusSeconds(1), without(a).or(FleaseHoldTest::isOfClocks));
        assertThat(claims(a)).isZero();
    }

    @Test
    void aReleaseBeginsAtOnceThoughARenewalIsUnderWayOrHasToWait() {
        Granted granted = cell.hold(a, T, false);
        renew(granted, T, 7);
        cell.network.clear();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        assertThat(cell.network).anyMatch(FleaseHoldTest::isRead);

        FleaseCell waits = new FleaseCell(3);
        Granted held = waits.hold(a, T, false);
        waits.step(a, new Event.Renew("r", held.token(), T.toNanos(), 7));
        waits.pass(millis(377), m -> !isRead(m));
        waits.network.clear();
        waits.step(a, new Event.GiveUp("r", held.token()));
        assertThat(waits.network).anyMatch(FleaseHoldTest::isRead);
    }

    @Test
    void whoHasJustGivenItUpComesAfterThoseWhoWaited() {
        Granted granted = cell.hold(a, T, false);
        cell.acquire(b, T, false, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliver(m -> !(m.message() instanceof Freed));
        cell.acquire(a, T, false, WaitMode.WAIT);
        assertThat(cell.network).isEmpty();
        cell.pass(millis(10));
        assertThat(cell.all(a, Granted.class)).hasSize(2);
    }

    @Test
    void whoAsksAndWithdrawsDoesNotEndARelease() {
        Granted granted = cell.hold(a, T, false);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        long request = cell.acquire(a, T, false, WaitMode.WAIT);
        cell.step(a, new Event.Withdraw("r", request));
        assertThat(cell.network).filteredOn(FleaseHoldTest::isRead).hasSize(2);
        cell.deliverAll();
        assertThat(cell.written(a, b).isEmpty()).isTrue();
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void aReleaseThatFailsDeniesNobody() {
        Granted granted = cell.hold(a, T, false);
        cell.acquire(a, T, false, WaitMode.TRY_ONCE);
        cell.acquire(b, T, false, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.step(a, new Event.Unreachable(b));
        cell.step(a, new Event.Unreachable(c));
        assertThat(cell.all(a, Denied.class)).isEmpty();
    }

    @Test
    void eachOfThoseWhoWaitIsToldHowManyCameBefore() {
        Granted granted = cell.hold(a, T, true);
        cell.acquire(c, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliver(m -> {
            if (m.message() instanceof Freed freed) {
                assertThat(freed.ahead()).isEqualTo(m.to().equals(c) ? 0 : 1);
            }
            return !(m.message() instanceof Freed);
        });
    }

    // The end

    @Test
    void whoStopsSaysSoToThoseWhoWaitAndToThoseWhoWantedToHoldOn() {
        Granted granted = cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        renew(granted, T, 7);
        cell.network.clear();
        cell.step(a, new Event.Shutdown());
        assertThat(cell.last(a, Renewed.class)).isEqualTo(new Renewed(7, false));
        assertThat(cell.network).contains(new InFlight(a, b, new Freed("r", 1)));
    }

    @Test
    void whatHadEndedBeforeTheNodeStoppedHasExpired() {
        cell.hold(a, T, false);
        cell.jump(T);
        cell.step(a, new Event.Shutdown());
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }

    @Test
    void nothingIsKeptOfWhatIsDone() {
        Granted granted = cell.hold(a, T, false);
        cell.acquire(b, T, false, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        cell.step(b, new Event.GiveUp("r", cell.last(b, Granted.class).token()));
        cell.pass(millis(20));
        assertThat(claims(a) + claims(b)).isZero();
        Moment next = Objects.requireNonNull(cell.node(a).nextDeadline());
        assertThat(cell.now(a).moment().isBefore(next)).isTrue();
    }
}
