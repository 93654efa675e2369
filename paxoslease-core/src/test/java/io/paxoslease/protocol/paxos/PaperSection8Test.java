package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.ballot;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 8 of the paper, leases for many resources.
 *
 * <p>Corrected here: every resource keeps its own state, but the paper's hundred bytes for each would be kept for ever. What is
 * neither held nor asked for is forgotten, after a floor common to all resources has been raised over its promise. The paper
 * needs no clock synchrony for anything; our fencing tokens do ask wall clocks to be roughly right, leases still do not.
 */
class PaperSection8Test {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    @Test
    void aLeaseIsALeaseOfOneResource() {
        paper.acquired(a, "r", 300, false);
        paper.acquired(b, "s", 300, false);
        assertThat(paper.holds(a, "r")).isTrue();
        assertThat(paper.holds(b, "s")).isTrue();
        assertThat(paper.holds(a, "s")).isFalse();
        assertThat(paper.holds(b, "r")).isFalse();
    }

    @Test
    void oneNodeHoldsAnyNumberOfLeases() {
        for (int i = 0; i < 1_000; i++) {
            cell.acquire(a, "r" + i, 300, false);
        }
        cell.deliverAll();
        assertThat(cell.all(a, Granted.class))
                .extracting(Granted::resource)
                .doesNotHaveDuplicates()
                .hasSize(1_000);
    }

    @Test
    void everyMessageIsMarkedWithItsResource() {
        cell.acquire(a, "r", 300, false);
        cell.acquire(a, "s", 300, false);
        assertThat(paper.inFlight(a, Propose.class))
                .extracting(Propose::resource)
                .containsExactly("r", "r", "s", "s");
        paper.handOver(cell.hold(m -> m.message() instanceof Propose));
        assertThat(paper.inFlight(b, Accepted.class))
                .extracting(Accepted::resource)
                .containsExactly("r", "s");
    }

    @Test
    void anAcceptorsRecordOfOneResourceIsNotInTheWayOfAnother() {
        paper.answer(b, X, paper.propose(X, 10, 300));
        assertThat(paper.answer(b, Y, paper.prepare(Y, 20))).isInstanceOf(Held.class);
        assertThat(paper.answer(b, Y, new Propose("s", ballot(Y, 5), nanos(300), 1)))
                .isInstanceOf(Accepted.class);
    }

    @Test
    void anAcceptorsPromiseForOneResourceDoesNotBindItForAnother() {
        paper.answer(b, X, paper.prepare(X, 10));
        assertThat(paper.answer(b, Y, new Prepare("s", ballot(Y, 5), 1))).isInstanceOf(Open.class);
    }

    @Test
    void aProposersQuorumForOneResourceDoesNotCountForAnother() {
        cell.acquire(a, "r", 300, false);
        cell.acquire(a, "s", 300, false);
        Propose ofR = paper.inFlight(a, Propose.class).get(0);
        cell.network.clear();
        cell.step(a, new Event.Received(b, new Accepted("s", ofR.ballot(), ofR.attempt())));
        assertThat(cell.effects(a)).isEmpty();
        cell.step(a, new Event.Received(b, new Accepted("r", ofR.ballot(), ofR.attempt())));
        assertThat(cell.all(a, Granted.class)).extracting(Granted::resource).containsExactly("r");
    }

    @Test
    void theEndOfOneLeaseDoesNotTouchAnother() {
        Granted granted = paper.acquired(a, "r", 300, true);
        paper.acquired(a, "s", 300, true);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        assertThat(paper.inFlight(a, Release.class))
                .extracting(Release::resource)
                .containsOnly("r");
        cell.pass(millis(1_000));
        assertThat(paper.holds(a, "s")).isTrue();
    }

    @Test
    void oneResourcesFailureIsNotAnothers() {
        Granted granted = paper.acquired(a, "r", 300, true);
        paper.acquired(a, "s", 300, true);
        Incarnation incarnation = cell.node(a).view(cell.now(a)).incarnation();
        for (NodeId other : List.of(b, c)) { // they have no record of it any more, and get none
            cell.step(other, new Event.Received(a, new Release("r", incarnation, granted.token())));
        }
        cell.pass(millis(400), m -> !isAbout(m.message(), "r"));
        assertThat(cell.all(a, Lost.class)).extracting(Lost::resource).containsExactly("r");
        assertThat(paper.holds(a, "s")).isTrue();
    }

    private static boolean isAbout(Message message, String resource) {
        return message instanceof Propose propose && propose.resource().equals(resource);
    }

    @Test
    void aResourceThatNobodyUsesCostsNothing() {
        Acceptor acceptor = TestAcceptors.acceptor(cell.timing, null, cell.now(a));
        for (int i = 0; i < 500; i++) {
            acceptor.prepare(X, new Prepare("r" + i, ballot(X, 5_000), 1), cell.now(a));
        }
        assertThat(acceptor.size()).isEqualTo(500);
        for (int pass = 0; pass < 3; pass++) {
            cell.jump(Duration.ofNanos(cell.timing.quarantineNanos()));
            acceptor.forget(cell.now(a));
        }
        assertThat(acceptor.size()).isZero();
    }

    @Test
    void leasesNeedNoClocksThatAgree() {
        cell.wallOffsetMicros.put(a, 100_000L);
        cell.wallOffsetMicros.put(b, -100_000L);
        for (NodeId id : List.of(a, b, c)) {
            cell.acquire(id, "r", 50, false);
        }
        for (int i = 0; i < 2_000; i++) {
            cell.pass(millis(1));
            assertThat(cell.ids.stream().filter(id -> paper.holds(id, "r")).count())
                    .isLessThanOrEqualTo(1);
        }
        cell.ids.forEach(id -> assertThat(cell.all(id, Granted.class)).hasSize(1));
    }
}
