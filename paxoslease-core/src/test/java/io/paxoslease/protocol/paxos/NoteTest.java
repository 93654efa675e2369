package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Notes on leases (section 8, X1 to X4). */
class NoteTest {

    private static final Duration MAX = Duration.ofSeconds(5);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 1, MAX);
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final NodeId client = cell.id(3);
    /** The notes of the proposals that were sent, one for each attempt. */
    private final List<String> proposed = new ArrayList<>();

    private final Set<Ballot> attempts = new HashSet<>();

    @Test
    void everyNodeReadsTheNoteOfARecord() {
        acquire(a, 1, "url=http://a", true);
        pass(SECOND);
        assertThat(noteOf(a)).isEqualTo("url=http://a");
        assertThat(noteOf(b)).isEqualTo("url=http://a");
        assertThat(view(b).state()).isEqualTo(LeaseView.State.KNOWN);
        acquire(client, 2, "", true);
        pass(SECOND);
        assertThat(view(client).state()).isEqualTo(LeaseView.State.WAITING);
        assertThat(noteOf(client)).as("of the HELD that named the holder").isEqualTo("url=http://a");
        acquire(b, 3, "b", true);
        pass(SECOND);
        assertThat(noteOf(b)).as("waiting: the note of the holder").isEqualTo("url=http://a");
    }

    @Test
    void theNoteEndsWithItsRecordAndTheNextHolderHasItsOwn() {
        acquire(a, 1, "of a", true);
        acquire(b, 2, "", true);
        pass(SECOND);
        release(a);
        pass(SECOND);
        assertThat(view(b).state()).isEqualTo(LeaseView.State.HELD);
        assertThat(List.of(noteOf(a), noteOf(b), noteOf(c))).containsOnly("");
        release(b);
        pass(SECOND);
        acquire(a, 3, "again", true);
        pass(SECOND);
        assertThat(List.of(noteOf(a), noteOf(b), noteOf(c))).containsOnly("again");
    }

    /** A3: it goes with the record, not only with the next one. */
    @Test
    void aReleaseLeavesNoNoteInMemory() {
        Acceptor acceptor = acceptor(cell.node(b));
        acquire(a, 1, "of a", true);
        pass(SECOND);
        assertThat(acceptor.notes()).isEqualTo(1);
        release(a);
        pass(SECOND);
        assertThat(acceptor.notes()).isZero();
    }

    @Test
    void aForgottenRecordLeavesNoNoteInMemory() {
        Acceptor acceptor = acceptor(cell.node(b));
        acquire(a, 1, "of a", false);
        pass(SECOND);
        pass(Duration.ofSeconds(4), message -> !(message.message() instanceof PaxosMessage.Release));
        assertThat(acceptor.notes()).as("expired, and remembered yet").isEqualTo(1);
        assertThat(cell.node(b).view("r", cell.now(b))).isNull();
        pass(Duration.ofSeconds(15));
        assertThat(acceptor.size()).isZero();
        assertThat(acceptor.notes()).isZero();
    }

    @Test
    void aChangeIsARenewalByAProposalAndExtensionsLeaveItAlone() {
        acquire(a, 1, "one", true);
        pass(Duration.ofSeconds(2));
        assertThat(proposed).containsExactly("one");
        long token = view(a).token();
        annotate(a, "two");
        pass(Duration.ofMillis(50));
        assertThat(proposed).containsExactly("one", "two");
        pass(Duration.ofSeconds(4));
        assertThat(proposed).containsExactly("one", "two");
        assertThat(List.of(noteOf(a), noteOf(b), noteOf(c))).containsOnly("two");
        assertThat(view(a).token()).isEqualTo(token);
        annotate(a, "");
        pass(SECOND);
        assertThat(List.of(noteOf(a), noteOf(b), noteOf(c))).containsOnly("");
    }

    @Test
    void atMostOneChangeASecondIsProposedAndTheLastOneWins() {
        acquire(a, 1, "", true);
        pass(Duration.ofSeconds(2));
        for (int i = 0; i < 3_500; i++) {
            annotate(a, "note " + i);
            pass(Duration.ofMillis(1));
        }
        pass(SECOND);
        assertThat(proposed).containsExactly("", "note 0", "note 999", "note 1999", "note 2999", "note 3499");
        assertThat(noteOf(c)).isEqualTo("note 3499");
        annotate(a, "other");
        annotate(a, "note 3499");
        pass(Duration.ofSeconds(3));
        assertThat(proposed).as("changed back before it was proposed").hasSize(6);
    }

    @Test
    void aChangeWaitsWhileOthersQueueUntilNobodyDoes() {
        acquire(a, 1, "one", true);
        pass(SECOND);
        acquire(b, 2, "", true);
        pass(SECOND);
        annotate(a, "two");
        pass(Duration.ofSeconds(3));
        assertThat(noteOf(c)).isEqualTo("one");
        cell.step(b, new Event.Withdraw("r", 2));
        pass(Duration.ofMillis(1_500));
        assertThat(noteOf(c)).isEqualTo("two");
    }

    @Test
    void aChangeWaitsForOthersNoLongerThanFiveSeconds() {
        acquire(a, 1, "one", true);
        pass(SECOND);
        acquire(b, 2, "", true);
        pass(SECOND);
        annotate(a, "two");
        pass(Duration.ofMillis(4_900));
        assertThat(noteOf(c)).isEqualTo("one");
        pass(Duration.ofMillis(200));
        assertThat(noteOf(c)).isEqualTo("two");
        assertThat(noteOf(a)).isEqualTo("two");
        release(a);
        pass(SECOND);
        assertThat(view(b).state()).as("who queued before the change").isEqualTo(LeaseView.State.HELD);
    }

    /** A client has no acceptor: it knows of those that wait what acceptors tell it. */
    @Test
    void aClientsChangeWaitsForOthersToo() {
        acquire(client, 1, "one", true);
        pass(SECOND);
        annotate(client, "two");
        pass(Duration.ofSeconds(2));
        assertThat(noteOf(c)).isEqualTo("two");
        acquire(b, 2, "", true);
        pass(Duration.ofSeconds(2));
        annotate(client, "three");
        pass(Duration.ofSeconds(3));
        assertThat(noteOf(c)).isEqualTo("two");
        pass(Duration.ofSeconds(3));
        assertThat(noteOf(c)).isEqualTo("three");
    }

    /** P4c: its record has a lower counter, so EXTEND finds it missing there. */
    @Test
    void aMinorityThatHasMissedTheChangeGetsIt() {
        acquire(a, 1, "one", true);
        pass(Duration.ofSeconds(2));
        annotate(a, "two");
        pass(Duration.ofMillis(20), message -> !message.to().equals(c));
        assertThat(noteOf(b)).isEqualTo("two");
        assertThat(noteOf(c)).isEqualTo("one");
        pass(Duration.ofSeconds(3));
        assertThat(noteOf(c)).isEqualTo("two");
        assertThat(cell.all(a, Effect.Lost.class)).isEmpty();
    }

    @Test
    void anAcceptorThatHasLostTheRecordGetsTheNoteWithIt() {
        acquire(a, 1, "one", true);
        pass(Duration.ofSeconds(2));
        cell.restart(c);
        pass(Duration.ofSeconds(20));
        assertThat(noteOf(c)).isEqualTo("one");
    }

    /** One attempt may be sent again, for example where others make way for it: all of it has one note. */
    @Test
    void whatIsSentAgainHasTheSameNote() {
        acquire(a, 1, "of a", true);
        pass(SECOND);
        acquire(b, 2, "of b", true);
        acquire(c, 3, "of c", true);
        pass(Duration.ofSeconds(12));
        release(a);
        pass(Duration.ofSeconds(2));
        assertThat(view(b).state()).isEqualTo(LeaseView.State.HELD);
        assertThat(List.of(noteOf(a), noteOf(b), noteOf(c))).containsOnly("of b");
        assertThat(proposed).doesNotContain("");
    }

    /** A proposal that fails may have left its note at a minority, so the one before is proposed again. */
    @Test
    void aChangeThatIsTakenBackIsTakenBackEverywhere() {
        acquire(a, 1, "one", true);
        pass(Duration.ofSeconds(2));
        annotate(a, "two");
        Predicate<ProtocolTestCell.InFlight> toOneOnly =
                message -> message.to().equals(c) && !(message.message() instanceof PaxosMessage.Answer);
        cell.deliver(message -> toOneOnly.test(message) && note(message));
        assertThat(noteOf(c)).isEqualTo("two");
        annotate(a, "one");
        pass(Duration.ofSeconds(4));
        assertThat(List.of(noteOf(a), noteOf(b), noteOf(c))).containsOnly("one");
        assertThat(cell.all(a, Effect.Lost.class)).isEmpty();
    }

    @Test
    void aChangeDoesNotProlongALeaseOfAFixedTime() {
        acquire(a, 1, "one", false);
        pass(SECOND);
        var until = cell.last(a, Effect.Granted.class).until();
        annotate(a, "two");
        pass(Duration.ofMillis(50));
        assertThat(noteOf(b)).isEqualTo("two");
        assertThat(cell.last(a, Effect.Extended.class).until()).isEqualTo(until);
        pass(Duration.ofSeconds(2));
        assertThat(cell.all(a, Effect.Lost.class)).hasSize(1);
        assertThat(cell.node(a).view("r", cell.now(a))).isNull();
    }

    @Test
    void aChangeOfATenureThatHasEndedDoesNothing() {
        acquire(a, 1, "one", true);
        pass(SECOND);
        long token = view(a).token();
        release(a);
        acquire(a, 2, "two", true);
        pass(SECOND);
        cell.step(a, new Event.Annotate("r", token, "of the first"));
        pass(Duration.ofSeconds(3));
        assertThat(List.of(noteOf(a), noteOf(b))).containsOnly("two");
    }

    /** A note counts for nothing: whoever proposes the same text is another. */
    @Test
    void theHoldersNoteOpensNothing() {
        acquire(a, 1, "same", true);
        pass(SECOND);
        acquire(b, 2, "same", true);
        pass(Duration.ofSeconds(6));
        assertThat(cell.all(b, Effect.Granted.class)).isEmpty();
        assertThat(cell.all(a, Effect.Lost.class)).isEmpty();
        assertThat(view(a).state()).isEqualTo(LeaseView.State.HELD);
    }

    @Test
    void withoutNotesNothingIsKeptOrSaid() {
        acquire(a, 1, "", true);
        acquire(b, 2, "", true);
        List<String> told = new ArrayList<>();
        cell.pass(SECOND, message -> {
            if (message.message() instanceof Held held) {
                told.add(held.note());
            }
            return note(message);
        });
        assertThat(told).isNotEmpty().containsOnly("");
        assertThat(proposed).containsOnly("");
        assertThat(acceptor(cell.node(c)).notes()).isZero();
    }

    private static Acceptor acceptor(Node node) {
        return Objects.requireNonNull(new NodeProbe(node).acceptor());
    }

    private void acquire(NodeId node, long id, String note, boolean renewed) {
        AcquireRequest request =
                new AcquireRequest(id, "r", 3_000_000_000L, renewed, WaitMode.WAIT, null, false, note, 0);
        cell.step(node, new Event.Acquire(request));
    }

    private void release(NodeId node) {
        cell.step(node, new Event.GiveUp("r", view(node).token()));
    }

    private void annotate(NodeId node, String note) {
        cell.step(node, new Event.Annotate("r", view(node).token(), note));
    }

    private void pass(Duration time) {
        pass(time, message -> true);
    }

    private void pass(Duration time, Predicate<ProtocolTestCell.InFlight> passes) {
        cell.pass(time, message -> note(message) && passes.test(message));
    }

    /** Writes down what the proposals tell. */
    private boolean note(ProtocolTestCell.InFlight message) {
        if (message.message() instanceof Propose propose && attempts.add(propose.ballot())) {
            proposed.add(propose.note());
        }
        return true;
    }

    private LeaseView view(NodeId node) {
        return Objects.requireNonNull(cell.node(node).view("r", cell.now(node)));
    }

    private String noteOf(NodeId node) {
        LeaseView view = cell.node(node).view("r", cell.now(node));
        return view == null ? "" : view.note();
    }
}
