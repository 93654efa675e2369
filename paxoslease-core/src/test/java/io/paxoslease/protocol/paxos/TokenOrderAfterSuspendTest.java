package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Renewed;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Section 7: a proposal that was under way when its sender's machine was suspended may be accepted after another's whole tenure.
 * The record that it makes must not confirm the tenure that it was to renew. M is 1 s, the lease 500 ms, rho 0.1.
 */
class TokenOrderAfterSuspendTest {

    private static final Event.ClocksDisagree RESUMED = new Event.ClocksDisagree(false);

    private final ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private long token;

    @BeforeEach
    void aHolds() {
        cell.pass(Duration.ofMillis(1));
        cell.acquire(a, "r", 500, true);
        cell.deliverAll();
        token = cell.last(a, Granted.class).token();
        cell.pass(Duration.ofMillis(5));
    }

    private void renew(long requestId) {
        cell.step(a, new Event.Renew("r", token, 500_000_000, requestId));
    }

    private List<InFlight> holdProposals() {
        return cell.hold(m -> m.from().equals(a) && m.message() instanceof Propose);
    }

    /** Until the records of a are over at b and c, b holds the lease and gives it up. */
    private long tenureOfB(Duration after) {
        cell.pass(after);
        cell.acquire(b, "r", 500, true);
        cell.pass(Duration.ofMillis(5));
        return endTenureOfB();
    }

    private long endTenureOfB() {
        long other = cell.last(b, Granted.class).token();
        cell.step(b, new Event.GiveUp("r", other));
        cell.deliverAll();
        return other;
    }

    private void aIsLost() {
        assertThat(cell.last(a, Lost.class)).isEqualTo(new Lost("r", token, Loss.SUSPENDED));
        assertThat(cell.all(a, Extended.class)).isEmpty();
    }

    @ParameterizedTest(name = "b is behind by {0} ms")
    @ValueSource(ints = {0, 600, 650, 5_000})
    void aRenewalThatArrivesAfterAnothersTenureConfirmsNothing(int behindMillis) {
        cell.wallOffsetMicros.put(b, -behindMillis * 1_000L);
        renew(7);
        List<InFlight> late = holdProposals();
        assertThat(late).hasSize(2);
        cell.suspend(a);
        assertThat(tenureOfB(Duration.ofMillis(615))).isGreaterThan(token);
        cell.network.addAll(late);
        cell.deliverAll();
        cell.resume(a, RESUMED);
        cell.deliverAll();
        aIsLost();
        assertThat(cell.last(a, Renewed.class)).isEqualTo(new Renewed(7, false));
    }

    /** The later the renewal, the less the other's clock must be behind: by 0.22 of the lease when it is sent at its end. */
    @Test
    void aRenewalThatWasSentLateConfirmsNothingEither() {
        cell.wallOffsetMicros.put(b, -150_000L);
        cell.pass(Duration.ofMillis(485), m -> false);
        cell.network.clear();
        renew(7);
        List<InFlight> late = holdProposals();
        cell.suspend(a);
        tenureOfB(Duration.ofMillis(125));
        cell.network.addAll(late);
        cell.deliverAll();
        cell.resume(a, RESUMED);
        cell.deliverAll();
        aIsLost();
    }

    /** A suspend that is too short for the comparison of the clocks: only the wall clock shows it. */
    @Test
    void aSuspendThatOnlyTheWallClockShowsConfirmsNothingEither() {
        cell.wallOffsetMicros.put(b, -650_000L);
        cell.pass(Duration.ofMillis(485), m -> false);
        cell.network.clear();
        renew(7);
        List<InFlight> late = holdProposals();
        cell.suspend(a);
        tenureOfB(Duration.ofMillis(125));
        cell.network.addAll(late);
        cell.deliverAll();
        cell.resume(a, new Event.Woken());
        cell.deliverAll();
        aIsLost();
    }

    /** One acceptor has no record: the lease leaves its batch and is proposed again. */
    @Test
    void aProposalThatHealsARecordConfirmsNothing() {
        cell.wallOffsetMicros.put(b, -650_000L);
        cell.step(
                c,
                new Event.Received(
                        a, new Release("r", cell.node(a).view(cell.now(a)).incarnation(), token)));
        while (cell.all(a, Extended.class).isEmpty()) {
            cell.jump(Duration.ofMillis(1));
            cell.step(a, new Event.Woken());
            List<InFlight> late = holdProposals();
            if (!late.isEmpty()) {
                cell.suspend(a);
                tenureOfB(Duration.ofMillis(615));
                cell.network.addAll(late);
                cell.deliverAll();
                cell.resume(a, RESUMED);
                cell.deliverAll();
                break;
            }
            deliverOne();
        }
        aIsLost();
    }

    /** One at a time, those of c first: it says what it has not before the others make a majority. */
    private void deliverOne() {
        InFlight next = cell.network.stream()
                .filter(m -> m.to().equals(c) || m.from().equals(c))
                .findFirst()
                .orElseGet(cell.network::peek);
        if (next != null) {
            cell.network.remove(next);
            cell.step(next.to(), new Event.Received(next.from(), next.message()));
        }
    }

    /** Only one acceptor hears late: the sender's own has its record yet, since its clock stood still as well. */
    @Test
    void aRenewalThatOneAcceptorHearsLateConfirmsNothing() {
        cell.wallOffsetMicros.put(b, -650_000L);
        renew(7);
        List<InFlight> late = holdProposals();
        cell.suspend(a);
        tenureOfB(Duration.ofMillis(615));
        cell.network.add(late.get(0));
        cell.deliverAll();
        cell.resume(a, RESUMED);
        cell.deliverAll();
        aIsLost();
    }

    /** An earlier renewal without a majority counts as one under way for as long as none after it is complete. */
    @Test
    void aRenewalThatWasGivenUpConfirmsNothing() {
        cell.wallOffsetMicros.put(b, -900_000L);
        renew(7);
        List<InFlight> late = holdProposals();
        cell.pass(Duration.ofMillis(70), m -> false);
        cell.network.clear();
        cell.suspend(a);
        tenureOfB(Duration.ofMillis(615));
        cell.network.addAll(late);
        cell.deliverAll();
        cell.resume(a, RESUMED);
        cell.deliverAll();
        aIsLost();
    }

    @Test
    void whatAMajorityHasAcceptedIsConfirmedThoughOneAcceptorHearsOfItLate() {
        renew(7);
        List<InFlight> late = cell.hold(m -> m.to().equals(c));
        cell.deliverAll();
        assertThat(cell.last(a, Renewed.class)).isEqualTo(new Renewed(7, true));
        cell.suspend(a);
        cell.jump(Duration.ofMillis(300));
        cell.resume(a, RESUMED);
        cell.network.addAll(late);
        cell.deliverAll();
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(cell.last(a, Extended.class).until()).isEqualTo(cell.now(a).plusNanos(500_000_000));
    }

    /** The usual renewal is an EXTEND, which makes no record: it costs nothing to have been in the middle of it. */
    @Test
    void aSuspendDuringARenewalInABundleEndsNoTenure() {
        while (cell.network.isEmpty()) {
            cell.jump(Duration.ofMillis(1));
            cell.step(a, new Event.Woken());
        }
        assertThat(cell.network).allMatch(m -> m.message() instanceof PaxosMessage.Extend);
        List<InFlight> late = cell.hold(m -> true);
        cell.suspend(a);
        cell.jump(Duration.ofMillis(200));
        cell.resume(a, RESUMED);
        cell.deliverAll();
        cell.network.addAll(late);
        cell.deliverAll();
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(cell.last(a, Extended.class).until()).isEqualTo(cell.now(a).plusNanos(500_000_000));
    }
}
