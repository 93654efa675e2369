package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Wanted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.flease.FleaseCell.InFlight;
import io.paxoslease.protocol.flease.FleaseMessage.Freed;
import io.paxoslease.protocol.flease.FleaseMessage.InUse;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.Reply;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Who asks, who waits, who hears of it, and who is told what in the end. */
class FleaseRequestTest {

    private static final Duration T = Duration.ofSeconds(3);
    private static final Duration EPSILON = FleaseCell.BOUND;

    private final FleaseCell cell = new FleaseCell(3);
    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private void crash(NodeId id) {
        cell.start(id, cell.now(id).moment().plusNanos(Duration.ofDays(1).toNanos()));
    }

    private static Predicate<InFlight> isReadOf(NodeId id) {
        return m -> m.from().equals(id) && m.message() instanceof Read;
    }

    private void acquireWithin(NodeId id, long requestId, Duration time) {
        Moment limit = cell.now(id).moment().plusNanos(time.toNanos());
        cell.step(id, new Event.Acquire(new AcquireRequest(requestId, "r", T.toNanos(), false, WaitMode.WAIT, limit)));
    }

    // Who asks once

    @Test
    void whoAsksOnceIsDeniedAtOnceByANodeThatTakesNoPart() {
        FleaseCell uncompared = new FleaseCell(3, false);
        long request = uncompared.acquire(a, T, true, WaitMode.TRY_ONCE);
        assertThat(uncompared.last(a, Denied.class)).isEqualTo(new Denied(request, "r", Denial.NO_MAJORITY, null));
    }

    @Test
    void whoAsksOnceDoesNotWaitBehindWhoWaitsHere() {
        cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        long request = cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.HELD, b));
    }

    @Test
    void whoAsksOnceAtTheHolderIsDeniedWhenThatSaysNothing() {
        Granted granted = cell.hold(a, T, true);
        long request = cell.acquire(a, T, true, WaitMode.TRY_ONCE);
        assertThat(cell.last(a, Wanted.class)).isEqualTo(new Wanted("r", granted.token()));
        cell.pass(millis(51));
        assertThat(cell.all(a, Denied.class)).containsExactly(new Denied(request, "r", Denial.HELD, a));
    }

    @Test
    void theHoldersWordIsForThoseWhoAskedOnce() {
        Granted granted = cell.hold(a, T, true);
        cell.acquire(a, T, true, WaitMode.WAIT);
        long once = cell.acquire(a, T, true, WaitMode.TRY_ONCE);
        cell.step(a, new Event.InUse("r", granted.token() + 1));
        assertThat(cell.all(a, Denied.class)).isEmpty();
        cell.step(a, new Event.InUse("r", granted.token()));
        assertThat(cell.all(a, Denied.class)).containsExactly(new Denied(once, "r", Denial.HELD, a));
    }

    @Test
    void aWordThatComesBeforeWhatItIsAboutCounts() {
        Granted granted = cell.hold(a, T, true);
        long request = cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.step(b, new Event.Received(a, new InUse("r", granted.token())));
        assertThat(cell.all(b, Denied.class)).isEmpty();
        cell.deliverAll();
        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.HELD, a));
    }

    @Test
    void aWordAboutAnotherTenureIsNoAnswer() {
        Granted granted = cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliverAll();
        cell.step(b, new Event.Received(a, new InUse("r", granted.token() - 1)));
        assertThat(cell.all(b, Denied.class)).isEmpty();
        cell.step(b, new Event.Received(a, new InUse("r", granted.token())));
        assertThat(cell.all(b, Denied.class)).hasSize(1);
    }

    @Test
    void theWordThatDeniesOneDoesNotDenyWhoWaitsBehindIt() {
        Granted granted = cell.hold(a, T, true);
        long once = cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(b, new Event.Received(a, new InUse("r", granted.token())));
        cell.pass(millis(100));
        assertThat(cell.all(b, Denied.class)).extracting(Denied::requestId).containsExactly(once);
    }

    @Test
    void theWordOfWhoHasGoneIsNotWaitedFor() {
        cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliverAll();
        cell.step(b, new Event.Unreachable(a));
        assertThat(cell.all(b, Denied.class)).hasSize(1);
        cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliver(m -> !m.to().equals(a));
        assertThat(cell.all(b, Denied.class)).hasSize(2);
        assertThat(cell.last(b, Denied.class).holder()).isEqualTo(a);
    }

    @Test
    void theWordOfWhoseLeaseHasEndedIsNotWaitedFor() {
        cell.hold(a, T, false);
        crash(a);
        cell.pass(T.plusMillis(10));
        cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        cell.deliverAll();
        assertThat(cell.last(b, Denied.class).reason()).isEqualTo(Denial.HELD);
    }

    @Test
    void aMajorityThatGoesDeniesAtOnce() {
        cell.acquire(a, T, true, WaitMode.TRY_ONCE);
        cell.step(a, new Event.Unreachable(b));
        assertThat(cell.all(a, Denied.class)).isEmpty();
        cell.step(a, new Event.Unreachable(c));
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.NO_MAJORITY);
    }

    /** Only another's round was in the way, and no lease. */
    @Test
    void whoAsksOnceTriesAgainAfterADuelAndIsDeniedAfterAFourth() {
        cell.acquire(a, T, true, WaitMode.TRY_ONCE);
        refuse();
        cell.pass(millis(10));
        assertThat(cell.all(a, Granted.class)).hasSize(1);

        FleaseCell duels = new FleaseCell(3);
        duels.acquire(a, T, true, WaitMode.TRY_ONCE);
        duels.pass(Duration.ofSeconds(1), m -> {
            if (m.message() instanceof Read read && m.from().equals(a)) {
                duels.arrive(new InFlight(m.to(), a, new Nack("r", read.round(), read.attempt(), Round.NONE)));
            }
            return !(m.message() instanceof Read);
        });
        assertThat(duels.last(a, Denied.class).reason()).isEqualTo(Denial.CONTENDED);
    }

    /** To whatever a reads, b and c say no. */
    private void refuse() {
        cell.take(isReadOf(a)).forEach(m -> {
            Read read = (Read) m.message();
            cell.step(a, new Event.Received(m.to(), new Nack("r", read.round(), read.attempt(), Round.NONE)));
        });
    }

    @Test
    void aLeaseOfLessThanAMicrosecondIsRefused() {
        cell.acquire(a, Duration.ofNanos(999), true, WaitMode.WAIT);
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.REFUSED);
    }

    // Who waits

    @Test
    void howeverShortTheWaitAFreeLeaseIsGranted() {
        acquireWithin(a, 71, millis(1));
        acquireWithin(a, 72, millis(1));
        List<InFlight> reads = cell.take(isReadOf(a));
        cell.pass(millis(5), m -> false);
        assertThat(cell.all(a, Denied.class)).containsExactly(new Denied(72, "r", Denial.TIMED_OUT, null));
        reads.forEach(cell::arrive);
        cell.deliverAll();
        assertThat(cell.last(a, Granted.class).requestId()).isEqualTo(71);
    }

    @Test
    void whoWaitsTooLongForAHolderIsToldWhoItIs() {
        cell.hold(a, T, true);
        acquireWithin(b, 71, millis(200));
        cell.pass(millis(199));
        assertThat(cell.all(b, Denied.class)).isEmpty();
        cell.pass(millis(2));
        assertThat(cell.all(b, Denied.class)).containsExactly(new Denied(71, "r", Denial.TIMED_OUT, a));
    }

    @Test
    void whoWaitsAsksWhenTheLeaseIsFreeAndNotBefore() {
        cell.hold(a, T, false);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        int[] reads = {0};
        cell.pass(T.plus(EPSILON).minusMillis(1), m -> {
            reads[0] += isReadOf(b).test(m) ? 1 : 0;
            return true;
        });
        assertThat(reads[0]).isZero();
        cell.pass(millis(10));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    /** Of what a majority has, nothing is written again; of what has ended, nothing either. */
    @Test
    void whoFindsAnotherHolderDisturbsNobody() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(m -> !(m.message() instanceof Write && m.to().equals(c)));
        Predicate<InFlight> writes = m -> m.from().equals(b) && m.message() instanceof Write;
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliver(m -> {
            assertThat(writes.test(m)).isFalse();
            return !m.to().equals(c);
        });
        cell.jump(T);
        cell.acquire(c, T, true, WaitMode.TRY_ONCE);
        cell.deliver(m -> {
            assertThat(m.message()).isNotInstanceOf(Write.class);
            return !m.to().equals(a);
        });
        assertThat(cell.last(c, Denied.class).reason()).isEqualTo(Denial.HELD);
    }

    @Test
    void whatOneHasIsNotCertain() {
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliver(m -> !(m.message() instanceof Write && m.to().equals(c)));
        cell.acquire(c, T, false, WaitMode.WAIT);
        cell.deliver(m ->
                !m.to().equals(a) && !(m.message() instanceof Write && m.from().equals(c)));
        assertThat(isCertain(c)).isFalse();
        crash(a);
        cell.pass(Duration.ofSeconds(1));
        assertThat(isCertain(c)).isTrue();
    }

    private boolean isCertain(NodeId id) {
        return Objects.requireNonNull(cell.node(id).view("r", cell.now(id))).certain();
    }

    @Test
    void aHintThatComesDuringTheReadIsFollowedAtOnce() {
        Granted granted = cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.take(isReadOf(b)).forEach(cell::arrive);
        List<InFlight> held = cell.take(m -> m.to().equals(b) && m.message() instanceof ReadAck);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliver(m -> !m.to().equals(b) || m.message() instanceof Freed || !(m.message() instanceof Reply));
        held.forEach(cell::arrive);
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(millis(5));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aHintForLaterDelaysNothing() {
        cell.hold(a, T, false);
        crash(a);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.pass(T);
        cell.step(b, new Event.Received(c, new Freed("r", 0xFFFF)));
        cell.pass(EPSILON.plusMillis(10));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void whoComesBackIsAskedAtOnceHoweverOftenItFailed() {
        cell.step(a, new Event.Unreachable(b));
        cell.step(a, new Event.Unreachable(c));
        cell.acquire(a, T, true, WaitMode.WAIT);
        cell.pass(Duration.ofSeconds(2), m -> !(m.message() instanceof Read));
        cell.step(a, new Event.Reachable(b));
        cell.pass(millis(2));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void whoIsNextDoesNotWaitForWhatTheOneBeforeWaitedFor() {
        cell.hold(a, T, true);
        long first = cell.acquire(b, T, true, WaitMode.WAIT);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(b, new Event.Withdraw("r", first));
        assertThat(cell.network).anyMatch(isReadOf(b));
    }

    @Test
    void whoTakesItWhileAnotherIsKnownToWantItIsToldSo() {
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliver(m -> m.to().equals(c));
        Granted granted = cell.hold(c, T, true);
        assertThat(cell.all(c, Wanted.class)).containsExactly(new Wanted("r", granted.token()));
    }

    @Test
    void whoHasHadItIsNotTakenForOneWhoWantsIt() {
        Granted first = cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.deliverAll();
        Granted second = cell.last(b, Granted.class);
        cell.step(b, new Event.GiveUp("r", second.token()));
        cell.deliverAll();
        cell.hold(c, T, true);
        assertThat(cell.all(c, Wanted.class)).isEmpty();
    }

    @Test
    void aWriteThatIsRefusedIsNoSignThatWhoWaitedHasIt() {
        Granted granted = cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        Value forB = new Value(new Value.Owner(b, new Incarnation(1, 2)), FleaseCell.WALL + 1, granted.token());
        cell.step(a, new Event.Received(b, new Write("r", new Round(FleaseCell.SLOT, 0, b), 9, forB)));
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void whoHasGoneIsNotToldThatItIsFree() {
        Granted granted = cell.hold(a, T, true);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.Unreachable(b));
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliver(m -> {
            assertThat(m.message()).isNotInstanceOf(Freed.class);
            return true;
        });
    }

    @Test
    void aReadSaysWhetherItsNodeWaits() {
        cell.acquire(a, T, true, WaitMode.WAIT);
        assertThat(interest(a)).isEqualTo(Interest.WAITS);
        cell.deliverAll();
        cell.acquire(b, T, true, WaitMode.TRY_ONCE);
        assertThat(interest(b)).isEqualTo(Interest.ONCE);
        cell.deliverAll();
        cell.pass(T.dividedBy(3).minusMillis(1));
        cell.jump(millis(2));
        cell.step(a, new Event.Woken());
        assertThat(interest(a)).isEqualTo(Interest.NONE);
    }

    private Interest interest(NodeId id) {
        return ((Read) cell.network.stream()
                        .filter(isReadOf(id))
                        .findFirst()
                        .orElseThrow()
                        .message())
                .interest();
    }

    // The holder's node

    @Test
    void whoAsksWhereALeaseHasEndedIsNotTakenForOneWhoWantsThat() {
        cell.hold(a, T, false);
        cell.jump(T);
        cell.acquire(a, T, false, WaitMode.WAIT);
        assertThat(cell.all(a, Lost.class)).hasSize(1);
        assertThat(cell.all(a, Wanted.class)).isEmpty();
    }

    @Test
    void thoseWhoWaitElsewhereComeBeforeThoseWhoWaitHere() {
        Granted first = cell.hold(a, T, true);
        cell.acquire(a, T, true, WaitMode.WAIT);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).hasSize(1);
        assertThat(cell.all(a, Granted.class)).hasSize(1);
        cell.pass(millis(20));
        cell.step(b, new Event.GiveUp("r", cell.last(b, Granted.class).token()));
        cell.deliverAll();
        assertThat(cell.all(a, Granted.class)).hasSize(2);
    }

    @Test
    void whoWaitsHereHasItSoonWhenWhoCameFirstIsGone() {
        Granted first = cell.hold(a, T, true);
        cell.acquire(a, T, true, WaitMode.WAIT);
        cell.acquire(b, T, true, WaitMode.WAIT);
        cell.deliverAll();
        crash(b);
        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.pass(millis(20));
        assertThat(cell.all(a, Granted.class)).hasSize(2);
    }
}
