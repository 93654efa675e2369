package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Renewed;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whole conversations of three nodes: section 5, P0 to P8. */
class NodeTest {

    private final ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    @BeforeEach
    void leaveTheFirstInstant() {
        cell.pass(Duration.ofMillis(1));
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private Granted acquired(NodeId id, long leaseMillis, boolean renewed) {
        cell.acquire(id, "r", leaseMillis, renewed);
        cell.deliverAll();
        return cell.last(id, Granted.class);
    }

    /** Delivers what is in flight now, but not the answers to it. */
    private void deliverOneWay() {
        cell.hold(m -> true).forEach(m -> cell.step(m.to(), new Event.Received(m.from(), m.message())));
    }

    private void renewalIsDue() {
        cell.jump(millis(100));
        cell.step(a, new Event.Woken());
        cell.jump(millis(13));
        cell.step(a, new Event.Woken());
    }

    private List<Message> sentBy(NodeId id, Class<? extends Message> type) {
        return cell.network.stream()
                .filter(m -> m.from().equals(id) && type.isInstance(m.message()))
                .map(InFlight::message)
                .toList();
    }

    // P0 to P3

    @Test
    void aMajorityThatAcceptsMakesAHolderInOneRoundTrip() {
        long request = cell.acquire(a, "r", 300, false);
        assertThat(sentBy(a, Propose.class)).hasSize(2);
        assertThat(cell.network).hasSize(2);
        deliverOneWay();
        assertThat(cell.all(a, Granted.class)).isEmpty();
        deliverOneWay();
        Granted granted = cell.last(a, Granted.class);
        assertThat(granted.requestId()).isEqualTo(request);
        assertThat(granted.token()).isEqualTo(cell.now(a).wallMicros());
    }

    /** What a cell of one does when it begins anew within one tick of the wall clock: nobody else remembers its counters. */
    @Test
    void aLaterLifeGoesOnAboveTheCountersOfTheOneBefore() {
        Granted granted = acquired(a, 300, false);
        Node before = cell.node(a);
        assertThat(before.highestToken()).isEqualTo(granted.token());

        ProtocolTestCell later = new ProtocolTestCell(1, Duration.ofMillis(1_000));
        later.node(later.id(0)).continueAbove(before.highestToken() + 500);
        later.acquire(later.id(0), "r", 300, false);

        assertThat(later.last(later.id(0), Granted.class).token()).isEqualTo(granted.token() + 501);
    }

    /** No acceptor elsewhere would refuse the smaller counters that it would draw. */
    @Test
    void aLaterLifeGoesOnAboveThoseCountersAlsoWhenTheWallClockHasBeenSetBack() {
        Granted granted = acquired(a, 300, false);

        ProtocolTestCell later = new ProtocolTestCell(1, Duration.ofMillis(1_000));
        later.wallOffsetMicros.put(a, -5_000_000L);
        later.start(a, null);
        later.node(a).continueAbove(granted.token());
        later.acquire(a, "r", 300, false);
        later.pass(millis(100));

        assertThat(later.last(a, Granted.class).token()).isGreaterThan(granted.token());
    }

    @Test
    void aNewIncarnationForgetsNoCounterThatALifeHasUsed() {
        ProtocolTestCell alone = new ProtocolTestCell(1, Duration.ofMillis(1_000));
        long used = ProtocolTestCell.WALL + 1_000_000;
        alone.node(a).continueAbove(used);
        alone.step(a, new Event.ClocksDisagree(true));
        assertThat(alone.node(a).highestToken()).isEqualTo(used);

        alone.acquire(a, "r", 300, false);
        alone.step(a, new Event.ClocksDisagree(true));
        assertThat(alone.last(a, Granted.class).token()).isEqualTo(used + 1);
        assertThat(alone.node(a).highestToken()).isEqualTo(used + 1);
    }

    @Test
    void theDeadlineCountsFromBeforeTheFirstMessage() {
        long asked = cell.nanos();
        cell.acquire(a, "r", 300, false);
        cell.jump(millis(15));
        cell.deliverAll();
        assertThat(cell.last(a, Granted.class).until().moment()).isEqualTo(new Moment(asked + 300_000_000));
    }

    @Test
    void aQuorumThatCompletesAtTheDeadlineIsTooLate() {
        cell.acquire(a, "r", 300, false);
        boolean[] late = {false};
        cell.deliver(m -> {
            if (m.message() instanceof Accepted && !late[0]) {
                cell.jump(millis(300));
                late[0] = true;
            }
            return !late[0] || m.message() instanceof Accepted;
        });
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void oneAcceptorThatAnswersTwiceIsNoMajority() {
        ProtocolTestCell five = new ProtocolTestCell(5, millis(1_000));
        five.pass(millis(1));
        five.acquire(five.id(0), "r", 300, false);
        five.deliver(m -> {
            if (m.message() instanceof Open || m.message() instanceof Accepted) {
                five.step(m.to(), new Event.Received(m.from(), m.message()));
            }
            return m.from().equals(five.id(1)) || m.to().equals(five.id(1));
        });
        assertThat(five.all(five.id(0), Granted.class)).isEmpty();
    }

    @Test
    void answersOfStrangersDoNotCount() {
        cell.acquire(a, "r", 300, false);
        Propose propose = (Propose) cell.network.element().message();
        cell.network.clear();
        Accepted accepted = new Accepted("r", propose.ballot(), propose.attempt());
        cell.step(a, new Event.Received(new NodeId("stranger"), accepted));
        assertThat(cell.effects(a)).isEmpty();
        cell.step(a, new Event.Received(b, accepted));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void aMinorityThatIsDownDoesNotMatter() {
        cell.acquire(a, "r", 300, false);
        cell.deliver(m -> !m.to().equals(c) && !m.from().equals(c));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void withoutAMajorityNothingIsGrantedAndItGoesOnTryingUntilThereIsOne() {
        cell.acquire(a, "r", 300, false);
        cell.pass(millis(2_000), m -> false);
        assertThat(cell.all(a, Granted.class)).isEmpty();
        cell.pass(millis(600));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void countersGrowEvenWhenTheWallClockStandsStillOrGoesBack() {
        long first = acquired(a, 300, false).token();
        cell.step(a, new Event.GiveUp("r", first));
        cell.wallOffsetMicros.put(a, -50_000L);
        assertThat(acquired(a, 300, false).token()).isGreaterThan(first);
    }

    @Test
    void aNodeWhoseWallClockIsBehindLearnsTheCounterFromTheRefusal() {
        acquired(a, 100, false);
        cell.pass(millis(200));
        cell.wallOffsetMicros.put(b, -60_000_000L);
        cell.acquire(b, "r", 300, false);
        cell.pass(millis(100));
        assertThat(cell.last(b, Granted.class).token())
                .isGreaterThan(cell.last(a, Granted.class).token());
    }

    @Test
    void aNodeWhoseWallClockIsFarAheadUsesTheAcceptorsTime() {
        ProtocolTestCell five = new ProtocolTestCell(5, millis(1_000));
        NodeId ahead = five.id(0);
        five.wallOffsetMicros.put(ahead, 3_600_000_000L);
        five.pass(millis(1));
        five.acquire(ahead, "r", 300, true);
        five.pass(millis(2_000));
        assertThat(five.all(ahead, Granted.class)).hasSize(1);
        assertThat(five.all(ahead, Lost.class)).isEmpty();
        assertThat(five.last(ahead, Granted.class).token())
                .isLessThan(five.now(five.id(1)).wallMicros() + five.timing.aheadGuardNanos() / 1_000);
    }

    // P4

    @Test
    void aRenewedLeaseIsRenewedAtAThirdAndKeepsItsToken() {
        Granted granted = acquired(a, 300, true);
        cell.pass(millis(99));
        assertThat(cell.all(a, Extended.class)).isEmpty();
        cell.pass(millis(1 + 13)); // what is due within a small part of the lease time goes together
        Extended extended = cell.last(a, Extended.class);
        assertThat(extended.token()).isEqualTo(granted.token());
        assertThat(extended.until().moment()).isEqualTo(new Moment(cell.nanos() + 300_000_000));
        cell.pass(millis(5_000));
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    @Test
    void aFixedLeaseEndsAtItsDeadline() {
        acquired(a, 300, false);
        cell.pass(millis(299));
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.pass(millis(1));
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }

    @Test
    void aHolderCutOffFromTheMajorityLosesTheLeaseAtItsDeadline() {
        acquired(a, 300, true);
        cell.pass(millis(299), m -> false);
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.pass(millis(1), m -> false);
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }

    @Test
    void aRenewalWhoseAnswersComeAfterTheOldDeadlineDoesNotRevive() {
        acquired(a, 300, true);
        renewalIsDue();
        List<InFlight> renewal = cell.hold(m -> m.message() instanceof PaxosMessage.Extend);
        assertThat(renewal).hasSize(2);
        cell.jump(millis(200));
        cell.network.addAll(renewal);
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(cell.all(a, Lost.class)).hasSize(1);
    }

    @Test
    void aHolderCanAskForMoreTime() {
        Granted granted = acquired(a, 300, false);
        cell.pass(millis(200));
        cell.step(a, new Event.Renew("r", granted.token(), 500_000_000, 77));
        cell.deliverAll();
        assertThat(cell.last(a, Renewed.class)).isEqualTo(new Renewed(77, true));
        cell.pass(millis(499));
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.pass(millis(1));
        assertThat(cell.all(a, Lost.class)).hasSize(1);
    }

    @Test
    void aShorterRenewalChangesNothing() {
        Granted granted = acquired(a, 300, false);
        cell.step(a, new Event.Renew("r", granted.token(), 10_000_000, 77));
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until()).isEqualTo(granted.until());
    }

    @Test
    void renewingAnEndedTenureIsAnsweredWithNo() {
        cell.step(a, new Event.Renew("r", 1, 10_000_000, 77));
        Granted granted = acquired(a, 300, false);
        cell.step(a, new Event.Renew("r", granted.token(), 100_000_000, 78));
        cell.step(a, new Event.GiveUp("r", granted.token()));
        assertThat(cell.all(a, Renewed.class)).containsExactly(new Renewed(77, false), new Renewed(78, false));
    }

    // P5, P6

    @Test
    void aHolderSendsNoRelease() {
        Granted granted = acquired(a, 300, true);
        cell.step(a, new Event.Renew("r", granted.token(), 300_000_000, 1));
        cell.network.clear();
        for (int i = 0; i < 250; i++) {
            cell.jump(millis(1));
            cell.step(a, new Event.Woken());
            assertThat(sentBy(a, Release.class)).isEmpty();
            cell.network.clear();
        }
    }

    @Test
    void anAbandonedFreshAttemptIsReleasedSoThatAMinorityDoesNotBlockOthers() {
        cell.acquire(a, "r", 800, false);
        cell.deliver(m -> !(m.message() instanceof Accepted) && !(m.message() instanceof Propose));
        cell.jump(millis(100));
        cell.step(a, new Event.Woken());
        assertThat(sentBy(a, Release.class)).hasSize(2);
    }

    @Test
    void answersToAnAbandonedAttemptAreDeadForEver() {
        cell.acquire(a, "r", 800, false);
        cell.deliver(m -> {
            if (m.message() instanceof Accepted) {
                cell.network.clear();
                return false;
            }
            return true;
        });
        cell.pass(millis(150), m -> false);
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void aReleaseReachesEveryAcceptorAndWakesTheWaiter() {
        Granted granted = acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        cell.pass(millis(3));
        assertThat(cell.last(b, Granted.class).token()).isGreaterThan(granted.token());
    }

    @Test
    void givingUpAnEarlierTenureDoesNotHarmTheNextOne() {
        Granted first = acquired(a, 300, true);
        cell.step(a, new Event.GiveUp("r", first.token()));
        Granted second = acquired(a, 300, true);
        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.deliverAll();
        cell.acquire(b, "r", 300, true, WaitMode.TRY_ONCE, null);
        cell.pass(millis(25));
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(cell.last(b, Denied.class).reason()).isEqualTo(Denial.HELD);
    }

    @Test
    void othersWhoWaitComeBeforeTheNextLocalRequest() {
        Granted granted = acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        cell.acquire(a, "r", 300, true);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        cell.pass(millis(10));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    // In line

    @Test
    void aHandOverTakesTheWayOfTheReleaseAndTheWayOfTheAcceptance() {
        Granted granted = acquired(a, 900, true);
        cell.acquire(b, "r", 900, true);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        assertThat(cell.network).extracting(InFlight::message).hasOnlyElementsOfTypes(Release.class, Accepted.class);
        deliverOneWay();
        deliverOneWay();
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aHolderHearsThatAnotherNodeWantsItsLease() {
        Granted granted = acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        assertThat(cell.all(a, Effect.Wanted.class)).contains(new Effect.Wanted("r", granted.token(), b));
    }

    /** The deadline counts from the proposal, and it has waited. */
    @Test
    void aFixedLeaseThatWaitedInLineIsRenewedAtOnceToItsFullTime() {
        Granted granted = acquired(a, 900, true);
        cell.acquire(b, "r", 900, false);
        cell.deliverAll();
        cell.pass(millis(400));
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        long released = cell.nanos();
        cell.pass(millis(1));
        cell.deliverAll();
        assertThat(cell.last(b, Granted.class).until().moment().nanos()).isEqualTo(released + 500_000_000);
        assertThat(cell.last(b, Extended.class).until().moment().nanos()).isEqualTo(released + 901_000_000);
        cell.pass(millis(899));
        assertThat(cell.all(b, Lost.class)).isEmpty();
        cell.pass(millis(1));
        assertThat(cell.all(b, Lost.class)).hasSize(1);
    }

    @Test
    void aRequestThatIsWithdrawnFromTheLineLeavesNothingBehind() {
        Granted granted = acquired(a, 900, true);
        long request = cell.acquire(b, "r", 900, true);
        cell.deliverAll();
        cell.step(b, new Event.Withdraw("r", request));
        assertThat(sentBy(b, Release.class)).as("a and c keep the proposal").hasSize(2);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        for (NodeId id : cell.ids) {
            assertThat(new NodeProbe(cell.node(id)).live("r", cell.now(id).moment()))
                    .isNull();
        }
        assertThat(cell.all(b, Granted.class)).isEmpty();
    }

    /** The holder came between asking and proposing. To ask again first would hide the record that the proposal has made. */
    @Test
    void whoeverComesIntoTheLineAfterADuelLeavesNothingBehindWhenItGivesUp() {
        List<InFlight> opens = openAnswersToBAfterADuel();
        cell.acquire(a, "r", 900, true);
        cell.deliver(m -> !m.to().equals(b));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
        opens.forEach(m -> cell.step(b, new Event.Received(m.from(), m.message())));
        assertThat(sentBy(b, Propose.class)).hasSize(2);
        deliverOneWay();
        deliverOneWay();
        cell.step(b, new Event.Withdraw("r", 1));
        assertThat(new NodeProbe(cell.node(b)).live("r", cell.now(b).moment())).isNull();
    }

    /** b's first request has met another's ballot, it has prepared, and nothing is in its way. */
    private List<InFlight> openAnswersToBAfterADuel() {
        cell.acquire(b, "r", 900, true);
        Propose first = (Propose) cell.network.element().message();
        for (NodeId other : List.of(a, c)) {
            cell.step(
                    b,
                    new Event.Received(
                            other,
                            new PaxosMessage.Stale(
                                    "r",
                                    first.ballot(),
                                    first.attempt(),
                                    first.ballot().counter())));
        }
        cell.network.clear();
        cell.jump(millis(1));
        cell.step(b, new Event.Woken());
        assertThat(sentBy(b, Prepare.class)).hasSize(2);
        deliverOneWay();
        cell.jump(millis(1));
        return cell.hold(m -> m.message() instanceof Open);
    }

    /**
     * a gives the lease up to b and wants it again; b's wish has not reached c yet. Were a's accepted there, it would be in b's way
     * and a would have to give it back and to ask again, while b does not know that anybody waits.
     */
    @Test
    void whoeverGivesALeaseUpComesAfterThoseWhoWaitAlsoWhereTheyAreNotKnown() {
        Granted first = acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        List<InFlight> late = cell.hold(m -> m.from().equals(b) && m.to().equals(c));
        assertThat(late).hasSize(1);
        cell.deliverAll();

        cell.step(a, new Event.GiveUp("r", first.token()));
        cell.acquire(a, "r", 300, true);
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).hasSize(1);
        assertThat(cell.all(b, Effect.Wanted.class)).as("b knows that a waits").isNotEmpty();

        cell.network.addAll(late);
        cell.deliverAll();
        cell.step(b, new Event.GiveUp("r", cell.last(b, Granted.class).token()));
        cell.deliverAll();
        assertThat(cell.all(a, Granted.class)).hasSize(2);
    }

    /** The same when the one who gives it up has another user in line already. */
    @Test
    void theNextUserOfWhoeverGivesALeaseUpComesAfterThoseWhoWait() {
        Granted first = acquired(a, 300, true);
        cell.acquire(a, "r", 300, true);
        cell.acquire(b, "r", 300, true);
        List<InFlight> late = cell.hold(m -> m.from().equals(b) && m.to().equals(c));
        assertThat(late).hasSize(1);
        cell.deliverAll();

        cell.step(a, new Event.GiveUp("r", first.token()));
        assertThat(sentBy(a, Propose.class))
                .allMatch(m -> ((Propose) m).predecessorCounter() > 0)
                .hasSize(2);
        cell.deliverAll();

        assertThat(cell.all(b, Granted.class)).hasSize(1);
        assertThat(cell.all(b, Effect.Wanted.class)).as("b knows that a waits").isNotEmpty();
    }

    /** b's wish is gone when a gives the lease up because of it: nobody comes before a any more, and nobody says so. */
    @Test
    void whoeverFollowsSomebodyWhoHasGoneDoesNotWait() {
        ProtocolTestCell longer = new ProtocolTestCell(3, Duration.ofSeconds(10));
        longer.pass(millis(1));
        longer.acquire(a, "r", 8_000, true);
        longer.deliverAll();
        long wish = longer.acquire(b, "r", 8_000, true);
        longer.deliverAll();

        longer.step(b, new Event.Withdraw("r", wish));
        longer.step(a, new Event.GiveUp("r", longer.last(a, Granted.class).token()));
        longer.acquire(a, "r", 8_000, true);
        longer.deliverAll();

        assertThat(longer.all(a, Granted.class)).hasSize(2);
    }

    /** a holds it for an instant; its release and b's wish meet on the way, so that who has heard of the release keeps the wish. */
    @Test
    void whoeverFollowsALeaseThatIsBeingReleasedDoesNotWait() {
        ProtocolTestCell longer = new ProtocolTestCell(3, Duration.ofSeconds(10));
        longer.pass(millis(1));
        longer.acquire(a, "r", 8_000, true);
        longer.deliverAll();
        longer.step(a, new Event.GiveUp("r", longer.last(a, Granted.class).token()));
        longer.acquire(b, "r", 8_000, true);
        longer.deliverAll();

        assertThat(longer.all(b, Granted.class)).hasSize(1);
    }

    /** Three of five hear of a, who comes after b, before they hear of b, and keep silent: a stands in line with them all the same. */
    @Test
    void whoeverIsKeptSilentlyByMostHearsOfItsPlaceSoon() {
        ProtocolTestCell five = new ProtocolTestCell(5, Duration.ofSeconds(10));
        five.pass(millis(1));
        five.acquire(b, "r", 8_000, true);
        List<InFlight> late = five.hold(m -> m.from().equals(b) && !m.to().equals(a));
        five.deliverAll();
        five.acquire(a, "r", 8_000, true);
        five.deliverAll();
        five.network.addAll(late);
        five.deliverAll();
        assertThat(five.all(b, Granted.class)).hasSize(1);

        five.pass(Duration.ofSeconds(3), m -> {
            assertThat(m.message() instanceof Release).as("%s", m).isFalse();
            return true;
        });
        five.step(b, new Event.GiveUp("r", five.last(b, Granted.class).token()));
        five.deliverAll();
        assertThat(five.all(a, Granted.class)).hasSize(1);
    }

    /** Answers come over either connection, so HELD may come after the ACCEPTED that its own sender has said since. */
    @Test
    void aRefusalThatComesAfterTheAgreementWhichFollowedItIsNone() {
        ProtocolTestCell five = new ProtocolTestCell(5, Duration.ofMillis(1_000));
        five.pass(millis(1));
        five.acquire(a, "r", 800, true);
        five.deliverAll();
        five.acquire(b, "r", 800, true);
        five.hold(m -> m.message() instanceof Propose)
                .forEach(m -> five.step(m.to(), new Event.Received(m.from(), m.message())));
        List<InFlight> late = five.hold(m -> m.from().equals(a) && m.message() instanceof Held);
        assertThat(late).hasSize(1);
        five.deliverAll();
        five.step(a, new Event.GiveUp("r", five.last(a, Granted.class).token()));
        List<InFlight> toOthers = five.hold(m -> !m.to().equals(b));
        five.deliverAll();

        five.network.addAll(late);
        five.deliverAll();
        five.network.addAll(toOthers);
        five.deliver(m -> {
            assertThat(m.from().equals(b) && m.message() instanceof Release)
                    .as("%s", m)
                    .isFalse();
            return true;
        });
        assertThat(five.all(b, Granted.class)).hasSize(1);
    }

    /** Half of a nanosecond is no time to wait: this went round and round. */
    @Test
    void whoeverWantsALeaseOfNoLengthWaitsOutsideTheLine() {
        acquired(a, 300, true);
        AcquireRequest shortest = new AcquireRequest(1_000, "r", 1, true, WaitMode.WAIT, null);
        int before = cell.effects(a).size();
        cell.step(b, new Event.Acquire(shortest));
        cell.deliverAll();
        assertThat(cell.effects(a).size() - before).isLessThan(10);
        assertThat(cell.node(b).nextDeadline()).isNotNull();
    }

    @Test
    void whoeverWaitsInLineIsServedByAMajorityThatHeardOfTheRelease() {
        Granted granted = acquired(a, 900, true);
        cell.acquire(b, "r", 900, true);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliver(m -> !(m.to().equals(b) && m.message() instanceof Release));
        assertThat(cell.all(b, Granted.class)).as("a and c accept").hasSize(1);
    }

    // Asking once

    private long askedOnceByB() {
        long request = cell.acquire(b, "r", 300, true, WaitMode.TRY_ONCE, null);
        cell.deliverAll();
        assertThat(cell.all(b, Denied.class))
                .as("the holder may yet say something")
                .isEmpty();
        return request;
    }

    @Test
    void whoeverAsksOnceIsDeniedAsSoonAsTheHolderSaysThatItUsesTheLease() {
        Granted granted = acquired(a, 300, true);
        long request = askedOnceByB();
        cell.step(a, new Event.InUse("r", granted.token()));
        deliverOneWay();
        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.HELD, a));
        assertThat(cell.node(b).view("r", cell.now(b))).isNotNull();
        cell.pass(millis(50));
        assertThat(cell.all(b, Denied.class)).hasSize(1);
    }

    @Test
    void whoeverAsksOnceIsGrantedALeaseThatItsHolderOnlyKept() {
        Granted granted = acquired(a, 300, true);
        long request = askedOnceByB();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.pass(millis(10));
        assertThat(cell.last(b, Granted.class).requestId()).isEqualTo(request);
    }

    @Test
    void whoeverAsksOnceIsDeniedAfterTwentyMillisecondsOfSilence() {
        acquired(a, 300, true);
        askedOnceByB();
        cell.pass(millis(19));
        assertThat(cell.all(b, Denied.class)).isEmpty();
        cell.pass(millis(2));
        assertThat(cell.last(b, Denied.class).reason()).isEqualTo(Denial.HELD);
    }

    @Test
    void whoeverAsksOnceDoesNotWaitForTheWordOfWhoCannotBeReached() {
        acquired(a, 300, true);
        cell.step(b, new Event.Unreachable(a));
        cell.acquire(b, "r", 300, true, WaitMode.TRY_ONCE, null);
        cell.deliver(m -> !m.to().equals(a) && !m.from().equals(a));
        assertThat(cell.last(b, Denied.class).reason()).isEqualTo(Denial.HELD);
    }

    /** A word about an earlier attempt says nothing of this one. */
    @Test
    void aWordThatTheLeaseIsInUseCountsForTheAttemptThatItNames() {
        acquired(a, 300, true);
        askedOnceByB();
        Incarnation mine = cell.node(b).view(cell.now(b)).incarnation();
        cell.step(b, new Event.Received(a, new PaxosMessage.InUse("r", new Ballot(1, mine), 999)));
        assertThat(cell.all(b, Denied.class)).isEmpty();
    }

    @Test
    void whoeverAsksOnceOfItsOwnNodeIsDeniedWhenTheHolderHereUsesIt() {
        Granted granted = acquired(a, 300, true);
        long request = cell.acquire(a, "r", 300, true, WaitMode.TRY_ONCE, null);
        assertThat(cell.all(a, Denied.class)).isEmpty();
        cell.step(a, new Event.InUse("r", granted.token()));
        assertThat(cell.last(a, Denied.class)).isEqualTo(new Denied(request, "r", Denial.HELD, a));
    }

    // P7

    @Test
    void anOrphanedRecordIsReleasedWhereItIsSeen() {
        cell.acquire(a, "r", 300, false);
        Propose propose = (Propose) cell.network.element().message();
        Ballot current = propose.ballot();
        Ballot orphan = new Ballot(current.counter() - 1, current.incarnation());
        cell.network.clear();
        cell.step(a, new Event.Received(b, new Held("r", current, propose.attempt(), orphan, a, 5_000_000, 0, false)));
        assertThat(cell.network)
                .containsExactly(new InFlight(a, b, new Release("r", current.incarnation(), orphan.counter())));
    }

    /** An answer that was long under way names the very record that the tenure rests on. */
    @Test
    void aRecordThatATenureRestsOnIsNoOrphan() {
        Granted granted = acquired(a, 300, true);
        Incarnation mine = cell.node(a).view(cell.now(a)).incarnation();
        Ballot before = new Ballot(granted.token() - 1, mine);
        Ballot record = new Ballot(granted.token(), mine);
        cell.step(a, new Event.Received(b, new Held("r", before, 0, record, a, 5_000_000, 0, false)));
        assertThat(cell.network).isEmpty();
    }

    @Test
    void aRecordThatAnAttemptInFlightMayHaveMadeIsNoOrphan() {
        cell.acquire(a, "r", 300, false);
        Propose propose = (Propose) cell.network.element().message();
        cell.network.clear();
        Held own = new Held("r", propose.ballot(), propose.attempt(), propose.ballot(), a, 5_000_000, 0, false);
        cell.step(a, new Event.Received(b, own));
        assertThat(cell.network).isEmpty();
    }

    // P8

    @Test
    void aHintOnlyMovesTheNextTryForward() {
        cell.acquire(a, "r", 300, false);
        Propose prepare = (Propose) cell.network.element().message();
        cell.network.clear();
        Ballot other = new Ballot(prepare.ballot().counter() - 1, new Incarnation(9, 9));
        cell.step(
                a,
                new Event.Received(
                        b, new Held("r", prepare.ballot(), prepare.attempt(), other, c, 5_000_000, 0, false)));
        cell.step(
                a,
                new Event.Received(
                        c, new Held("r", prepare.ballot(), prepare.attempt(), other, c, 5_000_000, 0, false)));
        cell.step(a, new Event.Received(b, new PaxosMessage.Released("r", 60)));
        cell.pass(millis(20));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void aHintThatComesDuringAnAttemptIsNotForgotten() {
        Granted granted = acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        // a's hint overtakes its release, then a is gone: b's own acceptor still says "held" when b asks again.
        cell.step(a, new Event.GiveUp("r", granted.token()));
        List<InFlight> releases = cell.hold(m -> m.message() instanceof Release);
        cell.deliver(m -> !m.to().equals(a) && !m.to().equals(c));
        releases.forEach(m -> cell.step(m.to(), new Event.Received(a, m.message())));
        cell.step(b, new Event.Unreachable(a));
        cell.step(c, new Event.Unreachable(a));
        cell.pass(millis(60), m -> !m.to().equals(a));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void nobodyWaitsForAnAnswerOfWhoCannotBeReached() {
        cell.step(a, new Event.Unreachable(b));
        cell.acquire(a, "r", 800, false, WaitMode.TRY_ONCE, null);
        cell.network.clear();
        cell.step(a, new Event.Unreachable(c));
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.NO_MAJORITY);
    }

    @Test
    void whoeverHasJustGivenUpLetsOthersGoFirstAlsoWithALaterRequest() {
        Granted granted = acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.acquire(a, "r", 300, true);
        cell.deliverAll();
        cell.pass(millis(10));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aWaiterTakesOverWhenADeadHoldersExclusionEnds() {
        acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        long exclusion = cell.timing.exclusionNanos(300_000_000) / 1_000_000;
        cell.pass(millis(exclusion - 1), m -> !m.from().equals(a) && !m.to().equals(a));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(millis(30), m -> !m.from().equals(a) && !m.to().equals(a));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aFollowerThatWaitsInLineAsksLittleMoreThanOncePerLease() {
        acquired(a, 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        int[] asked = {0};
        cell.pass(millis(3_000), m -> {
            asked[0] += m.message() instanceof Propose && m.from().equals(b) && m.to().equals(c) ? 1 : 0;
            return true;
        });
        assertThat(asked[0]).isBetween(10, 14);
    }

    /** One attempt of a node stands in line for all of them, and is made again little more than once per lease time. */
    @Test
    void waitersOfANodeSendAFewMessagesPerLeaseTimeHoweverManyTheyAre() {
        assertThat(messagesOfWaiters(1, 300, 10)).isBetween(40, 60);
        assertThat(messagesOfWaiters(20, 300, 10)).isBetween(40, 60);
    }

    /** The acceptors say how long the lease lasts, and the waiter comes back then. */
    @Test
    void waitersOfALongLeaseSendNoMoreForItsLength() {
        assertThat(messagesOfWaiters(1, 900, 10)).isBetween(40, 60);
        assertThat(messagesOfWaiters(20, 900, 10)).isBetween(40, 60);
    }

    /** What waiters on b send and are answered while a holds the lease so many lease times long. */
    private int messagesOfWaiters(int waiters, long leaseMillis, int leases) {
        String resource = "r" + waiters + "-" + leaseMillis;
        cell.acquire(a, resource, leaseMillis, true);
        cell.deliverAll();
        for (int i = 0; i < waiters; i++) {
            cell.acquire(b, resource, leaseMillis, true);
        }
        int[] messages = {0};
        cell.pass(millis(leases * leaseMillis), m -> {
            boolean about = m.message().toString().contains("resource=" + resource + ",");
            boolean asked = m.from().equals(b) && (m.message() instanceof Prepare || m.message() instanceof Propose);
            boolean answered = m.to().equals(b) && !(m.message() instanceof Propose);
            messages[0] += about && (asked || answered) ? 1 : 0;
            return true;
        });
        assertThat(cell.all(b, Granted.class)).isEmpty();
        return messages[0];
    }

    @Test
    void askingOnceIsDeniedWhileAnotherHolds() {
        acquired(a, 300, true);
        long request = cell.acquire(b, "r", 300, true, WaitMode.TRY_ONCE, null);
        cell.pass(millis(25));
        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.HELD, a));
    }

    @Test
    void askingOnceIsDeniedWhenNoMajorityAnswers() {
        long request = cell.acquire(b, "r", 300, true, WaitMode.TRY_ONCE, null);
        cell.pass(millis(100), m -> false);
        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.NO_MAJORITY, null));
    }

    @Test
    void askingOnceIsDeniedWhileThisNodeHoldsOrWaits() {
        acquired(a, 300, true);
        cell.acquire(a, "r", 300, true, WaitMode.TRY_ONCE, null);
        cell.pass(millis(20));
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.HELD);
        assertThat(cell.last(a, Denied.class).holder()).isEqualTo(a);
    }

    @Test
    void aRequestIsGivenUpWhenItsTimeIsOver() {
        acquired(a, 300, true);
        long request = cell.acquire(b, "r", 300, true, WaitMode.WAIT, millis(50));
        cell.pass(millis(49));
        assertThat(cell.all(b, Denied.class)).isEmpty();
        cell.pass(millis(1));
        assertThat(cell.last(b, Denied.class)).isEqualTo(new Denied(request, "r", Denial.TIMED_OUT, a));
    }

    @Test
    void aWithdrawnRequestIsNotAnswered() {
        acquired(a, 300, true);
        long request = cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        cell.step(b, new Event.Withdraw("r", request));
        cell.pass(millis(1_000), m -> !m.from().equals(a) && !m.to().equals(a));
        assertThat(cell.effects(b)).isEmpty();
        assertThat(cell.node(b).view("r", cell.now(b))).isNull();
    }

    @Test
    void aRequestForTooLongALeaseIsRefusedAtOnce() {
        cell.acquire(a, "r", 1_001, false);
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.REFUSED);
    }

    @Test
    void duelsEnd() {
        cell.acquire(a, "r", 300, false);
        cell.acquire(b, "r", 300, false);
        cell.acquire(c, "r", 300, false);
        cell.pass(millis(3_000));
        for (NodeId id : cell.ids) {
            assertThat(cell.all(id, Granted.class)).hasSize(1);
        }
    }

    // A0, whole nodes

    @Test
    void aRestartedMajorityGrantsNothingUntilItsQuarantineIsOver() {
        acquired(a, 300, false);
        cell.restart(b);
        cell.restart(c);
        cell.acquire(b, "r", 300, false);
        cell.pass(
                millis(cell.timing.quarantineNanos() / 1_000_000 - 1),
                m -> !m.to().equals(a) && !m.from().equals(a));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(millis(600), m -> !m.to().equals(a) && !m.from().equals(a));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aStoppedNodeIsSilent() {
        cell.step(c, new Event.Shutdown());
        cell.step(
                c,
                new Event.Received(a, new Prepare("r", new Ballot(ProtocolTestCell.WALL, new Incarnation(1, 1)), 1)));
        assertThat(cell.network).isEmpty();
        assertThat(cell.node(c).nextDeadline()).isNull();
    }

    @Test
    void stoppingReleasesWhatIsHeldAndDeniesWhatIsWaitedFor() {
        acquired(a, 300, true);
        cell.acquire(a, "s", 300, true);
        cell.acquire(a, "s", 300, true);
        cell.network.clear();
        cell.step(a, new Event.Shutdown());
        assertThat(sentBy(a, Release.class)).hasSizeGreaterThanOrEqualTo(2);
        assertThat(cell.all(a, Denied.class))
                .extracting(Denied::reason)
                .containsExactly(Denial.STOPPED, Denial.STOPPED);
    }

    @Test
    void nothingIsKeptOfAResourceThatIsDoneWith() {
        Granted granted = acquired(a, 300, true);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        cell.deliverAll();
        assertThat(cell.node(a).view("r", cell.now(a))).isNull();
    }
}
