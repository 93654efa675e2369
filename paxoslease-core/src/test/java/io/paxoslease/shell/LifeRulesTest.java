package io.paxoslease.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.shell.Recording.Life;
import io.paxoslease.shell.Recording.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a run of real nodes meets so rarely that a record of one seldom has it. */
class LifeRulesTest {

    private static final String RESOURCE = "r";
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final NodeId D = new NodeId("d");
    private static final List<NodeId> MEMBERS = List.of(A, B, C);
    private static final Timing TIMING = new Timing(Duration.ofMillis(400), 0.1);
    private static final Reading START = new Reading(new Moment(0), 1_700_000_000_000_000L);
    private static final Moment SERVES = START.moment().plusNanos(3_500_000);
    private static final Ballot BALLOT_OF_D = new Ballot(START.wallMicros() + 5_000, new Incarnation(3, 3));

    private final List<Step> steps = new ArrayList<>();
    private final Node b =
            new Node(B, new Quorum(MEMBERS), TIMING, SERVES, () -> new Incarnation(2, 2), () -> 7, START);
    private Reading now = START;

    /** The lease of b rests on a and c, as its own acceptor was silent; that accepts the client d as soon as it serves. */
    @BeforeEach
    void bHoldsTheLeaseBesideTheRecordOfD() {
        step(new Event.Acquire(new AcquireRequest(1, RESOURCE, TIMING.maxLeaseNanos(), true, WaitMode.TRY_ONCE, null)));
        Propose propose = sent(Propose.class);
        step(new Event.Received(A, new Accepted(RESOURCE, propose.ballot(), propose.attempt(), false)));
        step(new Event.Received(C, new Accepted(RESOURCE, propose.ballot(), propose.attempt(), false)));
        step(new Event.Woken());
        step(new Event.Received(
                D, new Propose(RESOURCE, BALLOT_OF_D, TIMING.maxLeaseNanos(), 9, QueueMode.ASK_HOLDER, 0, 0)));
        step(new Event.Renew(RESOURCE, propose.ballot().counter(), TIMING.maxLeaseNanos(), 2));
        assertThat(sent(InUse.class).isOfRecord()).isTrue();
    }

    @Test
    void aNodesOwnRenewalMeetsTheRecordOfAnother() {
        assertThat(violations()).isEmpty();
    }

    @Test
    void withoutTheRenewalItIsToldForNothing() {
        Step renewal = steps.remove(steps.size() - 1);
        List<Effect> told = renewal.effects().stream()
                .filter(effect -> effect instanceof Effect.Send send && send.message() instanceof InUse)
                .toList();
        steps.add(new Step(renewal.event(), renewal.now(), told));
        assertThat(violations()).singleElement().asString().contains("no renewal has met its record");
    }

    private List<String> violations() {
        Life life = new Life(B, MEMBERS, TIMING, SERVES, START, List.of(), List.of(), steps);
        List<String> violations = new ArrayList<>();
        LifeRules.check(life, violations);
        return violations;
    }

    private void step(Event event) {
        now = now.plusNanos(1_000_000);
        steps.add(new Step(event, now, b.step(event, now)));
    }

    private <M extends Message> M sent(Class<M> kind) {
        return steps.get(steps.size() - 1).effects().stream()
                .filter(Effect.Send.class::isInstance)
                .map(effect -> ((Effect.Send) effect).message())
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElseThrow();
    }
}
