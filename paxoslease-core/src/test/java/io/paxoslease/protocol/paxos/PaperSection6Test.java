package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Section 6 of the paper, extending leases.
 *
 * <p>Corrected here: the paper lets a proposer extend what names its node, and says that acceptors need no change. A restarted
 * proposer is not who it was, so the incarnation decides; and an acceptor has to know a renewal: it measures it against the
 * record that it renews and not against a promise made since, and never moves the deadline back, for the holder may still
 * rely on an earlier, longer round. A holder whose renewal fails releases nothing, as long as the old deadline stands.
 */
class PaperSection6Test {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    private void renewalIsDue() {
        paper.renewalIsDue(a, 300);
    }

    @Test
    void aHolderCanStayTheHolderForMuchLongerThanOneLeaseTime() {
        Granted granted = paper.acquired(a, "r", 300, true);
        cell.pass(millis(10_000));
        assertThat(paper.holds(a, "r")).isTrue();
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(cell.all(a, Extended.class)).extracting(Extended::token).containsOnly(granted.token());
    }

    @Test
    void whatTheProposerItselfHoldsIsNotInItsWay() {
        assertThat(paper.answer(b, X, paper.propose(X, 10, 300))).isInstanceOf(Accepted.class);
        assertThat(paper.answer(b, X, paper.prepare(X, 11))).isInstanceOf(Open.class);
        assertThat(paper.answer(b, X, paper.propose(X, 11, 300))).isInstanceOf(Accepted.class);
    }

    @Test
    void aRenewalAsksForNoMoreThanToExtendTheRecordOfThatBallot() {
        Granted granted = paper.acquired(a, "r", 300, true);
        renewalIsDue();
        assertThat(cell.network).extracting(InFlight::message).hasOnlyElementsOfType(Extend.class);
        assertThat(paper.inFlight(a, Extend.class)).hasSize(2).allMatch(m -> m.extensions()
                .equals(List.of(new Extension("r", granted.token()))));
    }

    @Test
    void aRenewalThatTheHolderAsksForIsProposedAtOnceUnderAHigherBallot() {
        Granted granted = paper.acquired(a, "r", 300, true);
        cell.step(a, new Event.Renew("r", granted.token(), nanos(300), 7));
        assertThat(paper.inFlight(a, Prepare.class)).isEmpty();
        assertThat(paper.inFlight(a, Propose.class))
                .hasSize(2)
                .allMatch(m -> m.ballot().counter() > granted.token());
    }

    @Test
    void anExtensionReachesOneLeaseTimeFromWhenItWasAskedFor() {
        paper.acquired(a, "r", 300, true);
        renewalIsDue();
        Moment asked = cell.now(a).moment();
        cell.jump(millis(20));
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until().moment()).isEqualTo(asked.plusNanos(nanos(300)));
    }

    @Test
    void withoutAMajorityTheOldDeadlineStands() {
        Granted granted = paper.acquired(a, "r", 300, true);
        long end = granted.until().moment().nanos();
        cell.pass(Duration.ofNanos(end - cell.nanos() - 1), m -> false);
        assertThat(paper.holds(a, "r")).isTrue();
        cell.pass(Duration.ofNanos(1), m -> false);
        assertThat(paper.holds(a, "r")).isFalse();
        assertThat(cell.all(a, Extended.class)).isEmpty();
    }

    @Test
    void aMajorityOfOneAndAnotherIsEnough() {
        paper.acquired(a, "r", 300, true);
        renewalIsDue();
        cell.deliver(m -> !PaperCell.concerns(m, c));
        assertThat(cell.all(a, Extended.class)).hasSize(1);
    }

    @Test
    void aLeaseThatRanOutIsNotExtended() {
        paper.acquired(a, "r", 300, true);
        renewalIsDue();
        List<InFlight> late = cell.hold(m -> m.message() instanceof Extend);
        assertThat(late).hasSize(2);
        cell.jump(millis(200));
        paper.handOver(late);
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(paper.holds(a, "r")).isFalse();
    }

    @Test
    void aRestartedHolderDoesNotExtendWhatItsFormerSelfHeld() {
        paper.acquired(a, "r", 300, true);
        cell.restart(a);
        paper.asksOnce(a, "r", 300);
        cell.pass(millis(25));
        assertThat(cell.last(a, Denied.class).holder()).isEqualTo(a);
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void aRenewalIsMeasuredAgainstTheRecordAndNotAgainstThePromise() {
        paper.answer(b, X, paper.prepare(X, 50));
        paper.answer(b, Y, paper.propose(Y, 60, 300));
        paper.answer(b, Y, paper.prepare(Y, 100));
        assertThat(paper.answer(b, Y, paper.propose(Y, 70, 300)))
                .as("below the promise, above the record")
                .isInstanceOf(Accepted.class);
        assertThat(paper.answer(b, Y, paper.propose(Y, 69, 300)))
                .as("below the record")
                .isInstanceOf(Stale.class);
    }

    @Test
    void aShorterRenewalDoesNotShortenTheExclusion() {
        paper.answer(b, X, paper.propose(X, 10, 900));
        paper.answer(b, X, paper.propose(X, 11, 10));
        Held held = (Held) paper.answer(b, Y, paper.prepare(Y, 20));
        assertThat(held.remainingNanos()).isEqualTo(cell.timing.exclusionNanos(nanos(900)));
    }

    @Test
    void aShorterRenewalDoesNotShortenTheTenure() {
        Granted granted = paper.acquired(a, "r", 900, false);
        cell.step(a, new Event.Renew("r", granted.token(), nanos(10), 7));
        cell.deliverAll();
        assertThat(cell.last(a, Extended.class).until()).isEqualTo(granted.until());
    }

    @Test
    void aHolderWhoseRenewalFailsReleasesNothing() {
        paper.acquired(a, "r", 300, true);
        boolean[] released = {false};
        cell.pass(millis(298), m -> {
            released[0] |= m.message() instanceof Release;
            return !(m.message() instanceof PaxosMessage.Extended);
        });
        assertThat(paper.holds(a, "r")).isTrue();
        assertThat(released[0]).isFalse();
    }

    @Test
    void aHolderWhoseRenewalFailsTriesAgainWhileThereIsTime() {
        paper.acquired(a, "r", 300, true);
        cell.pass(millis(150), m -> false);
        cell.pass(millis(120));
        assertThat(Objects.requireNonNull(cell.node(a).view("r", cell.now(a))).renewals())
                .isPositive();
    }
}
