package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.ExtendedTogether;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Suspected;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Section 5, Holder: what a suspend, a clock step or a restored snapshot does to a tenure. */
class SuspicionTest {

    private static final Event.ClocksDisagree STEP = new Event.ClocksDisagree(false);
    private static final Event.ClocksDisagree FORGOTTEN = new Event.ClocksDisagree(true);

    private final ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);

    @BeforeEach
    void aHolds() {
        cell.pass(Duration.ofMillis(1));
        cell.acquire(a, "r", 600, true);
        cell.deliverAll();
    }

    @Test
    void afterAClockStepTheTenureIsSuspectUntilAMajorityConfirmsIt() {
        Granted granted = cell.last(a, Granted.class);
        cell.step(a, STEP);
        assertThat(cell.last(a, Suspected.class).token()).isEqualTo(granted.token());
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(cell.network).allMatch(m -> m.message() instanceof Extend).hasSize(2);
        cell.deliverAll();
        Extended confirmed = cell.last(a, Extended.class);
        assertThat(confirmed.token()).isEqualTo(granted.token());
        assertThat(confirmed.until()).isEqualTo(cell.now(a).plusNanos(600_000_000));
    }

    @Test
    void theDeadlineOfASuspectTenureMayMoveBackToWhatWasMeasuredAfterwards() {
        cell.pass(Duration.ofMillis(10));
        cell.wallOffsetMicros.put(a, -5_000_000L);
        cell.step(a, STEP);
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until().wallMicros())
                .isEqualTo(cell.now(a).wallMicros() + 600_000);
    }

    /** Also when it has been renewed with a list, whose end is not its own. */
    @Test
    void theSharedDeadlineOfASuspectTenureMovesBackToo() {
        cell.pass(Duration.ofMillis(500));
        assertThat(cell.all(a, ExtendedTogether.class)).isNotEmpty();
        cell.wallOffsetMicros.put(a, -5_000_000L);
        cell.step(a, STEP);
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until()).isEqualTo(cell.now(a).plusNanos(600_000_000));
    }

    @Test
    void recordsOfRoundsBeforeTheLastOneConfirmNothing() {
        Granted granted = cell.last(a, Granted.class);
        cell.step(a, new Event.Renew("r", granted.token(), 600_000_000, 7));
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).as("renewed").isNotEmpty();
        cell.step(a, STEP);
        Extend confirmation = (Extend) cell.network.element().message();
        assertThat(confirmation.extensions())
                .singleElement()
                .satisfies(extension -> assertThat(extension.lowestCounter()).isGreaterThan(granted.token()));
    }

    @Test
    void aTenureThatIsNotRenewedLastsNoLongerForBeingConfirmed() {
        cell.acquire(b, "s", 600, false);
        cell.deliverAll();
        Moment end = cell.last(b, Granted.class).until().moment();
        cell.pass(Duration.ofMillis(500));
        cell.wallOffsetMicros.put(b, -500_000L);
        cell.step(b, STEP);
        cell.deliverAll();
        Reading confirmed = cell.last(b, Extended.class).until();
        assertThat(confirmed.moment()).isEqualTo(end);
        assertThat(confirmed.wallMicros()).isEqualTo(cell.now(b).wallMicros() + 100_000);
        cell.pass(Duration.ofMillis(100));
        assertThat(cell.last(b, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }

    @Test
    void aTenureThatAMajorityNoLongerKnowsIsLost() {
        cell.restart(b);
        cell.restart(cell.id(2));
        cell.jump(Duration.ofMillis(550));
        cell.step(a, STEP);
        cell.network.clear();
        Duration quarantine = Duration.ofNanos(cell.timing.quarantineNanos());
        cell.pass(quarantine.plusMillis(100));
        assertThat(cell.last(a, Lost.class).reason()).isIn(Loss.EXPIRED, Loss.SUSPENDED);
        assertThat(cell.all(a, Extended.class)).isEmpty();
    }

    @Test
    void anotherHoldersRecordIsNotOverwrittenByAConfirmation() {
        // As after a suspend: the cell's time went on, but a's clock did not, and a's messages are late.
        Granted granted = cell.last(a, Granted.class);
        Extend late = new Extend(
                cell.node(a).view(cell.now(a)).incarnation(),
                1,
                600_000_000,
                Extend.UNNUMBERED,
                java.util.List.of(new PaxosMessage.Extension("r", granted.token())));
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        cell.acquire(b, "r", 600, true);
        cell.deliverAll();
        cell.step(b, new Event.Received(a, late));
        assertThat(cell.network)
                .extracting(ProtocolTestCell.InFlight::message)
                .containsExactly(
                        new PaxosMessage.Extended(late.incarnation(), 1, java.util.List.of(0), java.util.List.of()));
    }

    /** Its record may come to be after another's tenure ({@link TokenOrderAfterSuspendTest}): it is given up, and released. */
    @Test
    void aTenureWithAProposalUnderWayIsLost() {
        long token = cell.last(a, Granted.class).token();
        cell.step(a, new Event.Renew("r", token, 600_000_000, 7));
        Propose renewal = (Propose) cell.network.element().message();
        cell.network.clear();
        cell.step(a, STEP);
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.SUSPENDED);
        assertThat(cell.network)
                .extracting(ProtocolTestCell.InFlight::message)
                .containsOnly(new Release(
                        "r", renewal.ballot().incarnation(), renewal.ballot().counter()));
    }

    @Test
    void aProcessThatMayBeACopyOwnsNothingAndReleasesNothing() {
        Incarnation before = cell.node(a).view(cell.now(a)).incarnation();
        cell.step(a, FORGOTTEN);
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.SUSPENDED);
        assertThat(cell.network).isEmpty();
        assertThat(cell.node(a).view(cell.now(a)).incarnation()).isNotEqualTo(before);
        assertThat(cell.node(a).view(cell.now(a)).quarantineRemainingNanos()).isEqualTo(cell.timing.quarantineNanos());
    }

    @Test
    void aProcessThatMayBeACopyRepeatsNoReleaseOfTheOriginal() {
        cell.step(a, new Event.GiveUp("r", cell.last(a, Granted.class).token()));
        cell.deliverAll();
        cell.step(a, FORGOTTEN);
        cell.step(a, new Event.Reachable(b));
        assertThat(cell.network).isEmpty();
    }

    @Test
    void aProcessThatMayBeACopyTakesPartAgainAfterItsQuarantine() {
        cell.step(a, FORGOTTEN);
        cell.acquire(a, "r", 600, true);
        cell.pass(Duration.ofNanos(cell.timing.quarantineNanos()).plusMillis(100));
        assertThat(cell.all(a, Granted.class)).hasSize(2);
    }

    /**
     * As after a suspend that is too short to be noticed: the cell's time went on, another held the lease and released it,
     * and only a's wall clock shows it. A PROPOSE of a's would be accepted, and continue a token that is the smaller one.
     */
    @Test
    void aTenureThatTheWallClockEndedIsNotContinuedAfterAnothersTenure() {
        Granted first = cell.last(a, Granted.class);
        Incarnation incarnation = cell.node(a).view(cell.now(a)).incarnation();
        Release expired = new Release("r", incarnation, first.token());
        NodeId c = cell.id(2);
        cell.step(b, new Event.Received(a, expired));
        cell.step(c, new Event.Received(a, expired));
        cell.pass(Duration.ofMillis(5));
        cell.acquire(b, "r", 600, true);
        cell.deliverAll();
        Granted second = cell.last(b, Granted.class);
        assertThat(second.token()).isGreaterThan(first.token());
        cell.step(b, new Event.GiveUp("r", second.token()));
        cell.deliverAll();

        cell.jump(Duration.ofMillis(250));
        cell.wallOffsetMicros.put(a, 600_001L);
        cell.step(a, new Event.Woken());
        assertThat(cell.network).isNotEmpty().allMatch(m -> m.message() instanceof Extend);
        cell.deliverAll();
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.SUSPENDED);
        assertThat(cell.all(a, Extended.class)).isEmpty();
    }

    @Test
    void aTenureThatTheWallClockEndedIsConfirmedWhenNobodyElseHeldTheLease() {
        cell.jump(Duration.ofMillis(250));
        cell.wallOffsetMicros.put(a, 600_001L);
        cell.step(a, new Event.Woken());
        assertThat(cell.last(a, Suspected.class).token())
                .isEqualTo(cell.last(a, Granted.class).token());
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until()).isEqualTo(cell.now(a).plusNanos(600_000_000));
    }

    @Test
    void aTenureThatIsNotRenewedIsOverWhenEitherClockSaysSo() {
        cell.acquire(b, "s", 600, false);
        cell.deliverAll();
        cell.wallOffsetMicros.put(b, 600_001L);
        cell.step(b, new Event.Woken());
        cell.acquire(b, "s", 600, false, AcquireRequest.WaitMode.WAIT, null);
        assertThat(cell.last(b, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }
}
