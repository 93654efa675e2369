package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timers;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Section 7 and P0: wall clocks that are wrong cost some attempts, never a lease, and nothing once they are right again. */
class WallClockTest {

    private static final long HOUR_MICROS = 3_600_000_000L;

    private final ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    private void restartAll() {
        cell.ids.forEach(cell::restart);
        cell.pass(Duration.ofNanos(cell.timing.quarantineNanos()).plusMillis(100));
    }

    @Test
    void oneAcceptorWithAFastClockStopsNoRenewal() {
        cell.wallOffsetMicros.put(c, HOUR_MICROS);
        restartAll();
        cell.acquire(a, "r", 400, true);
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    /** Nobody but the fast one contradicts: that is no reason to follow it while there is a tenure to lose. */
    @Test
    void aFastAcceptorAndOneThatIsSilentForARoundEndNoTenure() {
        cell.wallOffsetMicros.put(c, HOUR_MICROS);
        restartAll();
        cell.acquire(a, "r", 400, true);
        cell.pass(Duration.ofMillis(100));
        long waiting = cell.acquire(b, "r", 400, true);
        cell.acquire(a, "s", 400, true);
        cell.pass(Duration.ofMillis(180), m -> !m.to().equals(b) && !m.from().equals(b));
        cell.step(b, new Event.Withdraw("r", waiting));
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.all(a, Granted.class)).hasSize(2);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    /** The floors of the others differ, as after a rolling restart, and one is down: three of five agree in the end. */
    @Test
    void aProposerWithASlowClockIsServedThoughOneAcceptorIsSilent() {
        ProtocolTestCell five = new ProtocolTestCell(5, Duration.ofMillis(1_000));
        NodeId slow = five.id(1);
        NodeId down = five.id(4);
        five.wallOffsetMicros.put(slow, -HOUR_MICROS);
        for (NodeId id : five.ids) {
            five.restart(id);
            five.pass(Duration.ofMillis(1_000));
        }
        five.pass(Duration.ofSeconds(2));
        five.acquire(slow, "r", 400, true);
        five.pass(Duration.ofSeconds(5), m -> !m.to().equals(down) && !m.from().equals(down));
        assertThat(five.all(slow, Granted.class)).hasSize(1);
        assertThat(five.all(slow, Lost.class)).isEmpty();
    }

    @Test
    void aProposerThatIsSlowWithinTheGuardIsServedThoughOneAcceptorIsOutOfReach() {
        ProtocolTestCell three = new ProtocolTestCell(3, Duration.ofHours(1));
        NodeId slow = three.id(1);
        NodeId down = three.id(2);
        three.wallOffsetMicros.put(slow, -300_000_000L);
        three.start(slow, null);
        three.pass(Duration.ofMillis(5));
        three.step(slow, new Event.Unreachable(down));
        three.acquire(slow, "r", 400, true);
        three.pass(Duration.ofSeconds(5), m -> !m.to().equals(down) && !m.from().equals(down));
        assertThat(three.all(slow, Granted.class)).hasSize(1);
    }

    /** Who speaks of a lease is heard, also when another spoke of the counter, and one of nothing in time. */
    @Test
    void aLeaseInTheWayIsReportedThoughACounterWasTooFarAhead() {
        ProtocolTestCell five = new ProtocolTestCell(5, Duration.ofMillis(1_000));
        five.pass(Duration.ofMillis(1));
        five.acquire(a, "r", 400, true, AcquireRequest.WaitMode.TRY_ONCE, null);
        PaxosMessage.Propose asked =
                (PaxosMessage.Propose) five.network.element().message();
        five.network.clear();
        Ballot ballot = asked.ballot();
        five.step(
                a,
                new Event.Received(
                        b,
                        new PaxosMessage.Refused(
                                "r",
                                ballot,
                                asked.attempt(),
                                PaxosMessage.Refusal.TOO_FAR_AHEAD,
                                ballot.counter() - 1)));
        Ballot owner = new Ballot(ballot.counter() - 5, new Incarnation(9, 9));
        for (NodeId teller : List.of(c, five.id(3))) {
            five.step(
                    a,
                    new Event.Received(
                            teller,
                            new PaxosMessage.Held("r", ballot, asked.attempt(), owner, teller, 1_000_000, 0, false)));
        }
        assertThat(five.all(a, Effect.Denied.class))
                .as("the fifth may yet name its limit")
                .isEmpty();
        five.step(a, new Event.Unreachable(five.id(3))); // nothing is to be heard of the holder
        five.pass(Duration.ofMillis(100), m -> false);
        assertThat(five.last(a, Effect.Denied.class).reason()).isEqualTo(Effect.Denial.HELD);
    }

    @Test
    void oneAcceptorWithASlowClockDoesNotLeadAProposerAstray() {
        cell.wallOffsetMicros.put(b, -HOUR_MICROS);
        restartAll();
        cell.acquire(c, "r", 400, true);
        cell.pass(Duration.ofMillis(500));
        long waiting = cell.acquire(a, "r", 400, true);
        cell.pass(Duration.ofSeconds(5));
        cell.step(a, new Event.Withdraw("r", waiting));
        cell.wallOffsetMicros.put(b, 0L);
        cell.acquire(a, "fresh", 400, true);
        cell.pass(Duration.ofSeconds(2));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void aProposerWhoseClockWasSetRightAgainIsServed() {
        cell.wallOffsetMicros.put(a, HOUR_MICROS);
        cell.acquire(a, "r", 400, true);
        cell.pass(Duration.ofSeconds(5));
        cell.wallOffsetMicros.put(a, 0L);
        cell.step(a, new Event.ClocksDisagree(false));
        cell.pass(Duration.ofSeconds(5));
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.acquire(a, "s", 400, true);
        cell.pass(Duration.ofSeconds(5));
        assertThat(cell.all(a, Granted.class)).hasSize(2);
    }

    /** No counter is right for two of three: to ask every few milliseconds would not change that. */
    @Test
    void acceptorsWhoseClocksAreAllTooFarApartAreAskedSeldomUntilTheClocksAreSetRight() {
        cell.wallOffsetMicros.put(b, HOUR_MICROS);
        cell.wallOffsetMicros.put(c, -HOUR_MICROS);
        restartAll();
        cell.acquire(a, "r", 400, true);
        int[] asked = {0};
        cell.pass(Duration.ofSeconds(20), m -> {
            asked[0] += m.from().equals(a) && m.to().equals(b) && m.message() instanceof PaxosMessage.Request ? 1 : 0;
            return true;
        });
        assertThat(cell.all(a, Granted.class)).isEmpty();
        assertThat(asked[0]).isLessThan(100);
        assertThat(cell.last(a, Effect.ClocksApart.class).offsets()).isNotEmpty();
        cell.wallOffsetMicros.put(b, 0L);
        cell.wallOffsetMicros.put(c, 0L);
        cell.pass(Duration.ofSeconds(5));
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void aCellOfOneWhoseClockIsSetBackKeepsItsLease() {
        ProtocolTestCell one = new ProtocolTestCell(1, Duration.ofMillis(1_000));
        one.pass(Duration.ofMillis(1));
        one.acquire(one.id(0), "r", 400, true);
        one.pass(Duration.ofSeconds(5));
        one.wallOffsetMicros.put(one.id(0), -HOUR_MICROS);
        one.step(one.id(0), new Event.ClocksDisagree(false));
        one.pass(Duration.ofSeconds(10));
        assertThat(one.all(one.id(0), Lost.class)).isEmpty();
    }

    @Test
    void aReleaseThatWasLostIsRepeatedWhenTheConnectionIsBack() {
        ProtocolTestCell slow = new ProtocolTestCell(3, Duration.ofHours(1));
        slow.pass(Duration.ofMillis(1));
        slow.acquire(slow.id(0), "r", 3_600_000, false);
        slow.deliverAll();
        Granted granted = slow.last(slow.id(0), Granted.class);
        slow.acquire(slow.id(1), "r", 3_600_000, false);
        slow.deliverAll();
        slow.step(slow.id(0), new Event.GiveUp("r", granted.token()));
        slow.network.clear();
        slow.pass(Duration.ofSeconds(1), m -> false);
        for (NodeId from : slow.ids) {
            slow.ids.stream().filter(to -> !to.equals(from)).forEach(to -> slow.step(from, new Event.Reachable(to)));
        }
        slow.pass(Duration.ofSeconds(1));
        assertThat(slow.all(slow.id(1), Granted.class)).hasSize(1);
    }

    @Test
    void whoWaitsAsksAgainAfterTenSecondsEvenIfEveryHintWasLost() {
        ProtocolTestCell slow = new ProtocolTestCell(3, Duration.ofHours(1));
        slow.pass(Duration.ofMillis(1));
        slow.acquire(slow.id(0), "r", 3_600_000, false);
        slow.deliverAll();
        slow.acquire(slow.id(1), "r", 3_600_000, false);
        slow.deliverAll();
        int[] asked = {0};
        slow.pass(Duration.ofSeconds(25), m -> {
            asked[0] += m.message() instanceof PaxosMessage.Propose && m.to().equals(slow.id(2)) ? 1 : 0;
            return true;
        });
        assertThat(asked[0]).isEqualTo(2);
    }

    @Test
    void aQuarantineInMidLifeRaisesTheFloorOverWhatWasPromisedAfterTheSnapshot() {
        Timing timing = new Timing(Duration.ofMillis(1_000), 0.10);
        long wall = ProtocolTestCell.WALL;
        Acceptor acceptor = TestAcceptors.acceptor(timing, null, new Reading(new Moment(0), wall));
        Incarnation p = new Incarnation(1, 1);
        acceptor.prepare(a, new Prepare("r", new Ballot(wall + 10, p), 1), new Reading(new Moment(0), wall + 10));
        long restored = wall + 20_000_000;
        acceptor.quarantine(new Reading(new Moment(1), restored));
        Reading end =
                new Reading(new Moment(1 + timing.quarantineNanos()), restored + timing.quarantineNanos() / 1_000);
        assertThat(acceptor.isSilent(end)).isFalse();
        Ballot forgotten = new Ballot(restored - 1, new Incarnation(2, 2));
        assertThat(acceptor.prepare(b, new Prepare("r", forgotten, 2), end)).isInstanceOf(PaxosMessage.Stale.class);
    }

    @Test
    void timersOfForgottenClaimsDoNotPileUp() {
        Timers timers = new Timers();
        for (int i = 0; i < 10_000; i++) {
            Claim state = new Claim("r" + i, new Incarnation(1, 1));
            timers.set(state, new Moment(3_600_000_000_000L + i));
            timers.set(state, null);
        }
        assertThat(timers.size()).isLessThan(100);
        assertThat(timers.next()).isNull();
    }
}
