package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Section 9, R2: whole nodes while the list of members changes without a restart, as a store says which generation follows. */
class LiveChangeTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration MAX = Duration.ofSeconds(3);
    /** M x gamma of three seconds, and a little for the work. */
    private static final Duration QUARANTINE = Duration.ofMillis(3_700);
    /** Three questions before the move, and the seal. */
    private static final Duration CHANGE = QUARANTINE.plusSeconds(5);

    private static final MemberList THREE = ChangingCell.list(MAX, "a", "b", "c");
    private static final MemberList FIVE = ChangingCell.list(MAX, "a", "b", "c", "d", "e");
    private static final Generation FIRST = Generation.first(THREE);
    private static final Generation GROWN = new Generation(2, FIVE, THREE);
    private static final Generation SHRUNK = new Generation(3, THREE, FIVE);

    private final ChangingCell cell = new ChangingCell();

    private void startAll(Generation generation) {
        generation.current().members().forEach(id -> cell.start(id.name(), generation));
        cell.pass(QUARANTINE);
    }

    private void holds(String name) {
        cell.acquire(name, LEASE);
        cell.pass(Duration.ofMillis(100));
        assertThat(cell.holder()).isEqualTo(name);
    }

    private void read(Generation next, String... names) {
        List.of(names).forEach(name -> cell.readsNext(name, next));
    }

    private List<Integer> generations(String... names) {
        return List.of(names).stream()
                .map(name -> cell.node(name).generation().number())
                .toList();
    }

    private List<Integer> sealed(String... names) {
        return List.of(names).stream()
                .map(name -> cell.node(name).sealedGeneration())
                .toList();
    }

    /** The client z hears of the change from the members. */
    @Test
    void aLeaseIsHeldAndNothingIsRefusedWhileThreeMembersBecomeFiveAndThreeAgain() {
        startAll(FIRST);
        cell.start("z", FIRST);
        holds("z");
        read(GROWN, "a", "b", "c");
        cell.start("d", GROWN);
        cell.start("e", GROWN);
        cell.pass(CHANGE);
        assertThat(generations("a", "b", "c")).containsOnly(2);
        assertThat(sealed("a", "b", "c", "d", "e", "z")).containsOnly(2);

        read(SHRUNK, "a", "b", "c", "d", "e");
        cell.pass(CHANGE);
        assertThat(generations("a", "b", "c", "d", "e")).containsOnly(3);
        assertThat(sealed("a", "b", "c", "z")).containsOnly(3);
        List.of("d", "e", "c").forEach(cell::stop);
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.holder()).as("a and b are two of three").isEqualTo("z");
        assertThat(cell.granted()).hasSize(1);
        assertThat(cell.losses()).isZero();
        assertThat(cell.refusals()).isZero();
    }

    /** What was granted before the move is remembered: nobody else gets it, and the holder goes on. */
    @Test
    void allMembersMoveToOtherHostsWhileALeaseIsHeld() {
        Generation next = new Generation(2, ChangingCell.list(MAX, "x", "y", "z"), THREE);
        startAll(FIRST);
        holds("a");
        read(next, "a", "b", "c");
        cell.acquire("b", LEASE);
        List.of("x", "y", "z").forEach(each -> cell.start(each, next));
        cell.pass(CHANGE.plus(QUARANTINE));
        assertThat(sealed("a", "b", "c", "x", "y", "z")).containsOnly(2);
        assertThat(cell.holder()).isEqualTo("a");
        cell.stop("a");
        cell.pass(CHANGE);
        assertThat(cell.holder())
                .as("its wish has not been lost with the queue")
                .isEqualTo("b");
        assertThat(cell.granted()).hasSize(2).isSorted();
    }

    @Test
    void aDeadMemberIsReplacedWithoutAPause() {
        Generation next = new Generation(2, ChangingCell.list(MAX, "a", "b", "d"), THREE);
        startAll(FIRST);
        holds("a");
        cell.stop("c");
        read(next, "a", "b");
        cell.start("d", next);
        cell.pass(CHANGE);
        assertThat(sealed("a", "b", "d")).containsOnly(2);
        cell.stop("b");
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.holder()).isEqualTo("a");
        assertThat(cell.losses()).isZero();
    }

    @Test
    void nobodyMovesWhileAMajorityOfTheNewMembersIsNotThere() {
        Generation next = new Generation(2, ChangingCell.list(MAX, "x", "y", "z"), THREE);
        startAll(FIRST);
        holds("a");
        read(next, "a", "b", "c");
        cell.start("x", next);
        cell.pass(Duration.ofSeconds(60));
        assertThat(generations("a", "b", "c")).containsOnly(1);
        assertThat(cell.losses()).isZero();
        cell.start("y", next);
        cell.pass(CHANGE.plus(QUARANTINE));
        assertThat(sealed("a", "b", "c", "x", "y")).containsOnly(2);
        assertThat(cell.losses()).isZero();
    }

    /** Three of five are there, so the change goes on without the two; the next one may leave them out again. */
    @Test
    void newMembersThatNeverComeDoNotKeepAChangeFromItsEnd() {
        startAll(FIRST);
        holds("a");
        read(GROWN, "a", "b", "c");
        cell.pass(CHANGE);
        assertThat(sealed("a", "b", "c")).containsOnly(2);
        read(SHRUNK, "a", "b", "c");
        cell.pass(CHANGE);
        assertThat(sealed("a", "b", "c")).containsOnly(3);
        cell.stop("c");
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.holder()).isEqualTo("a");
        assertThat(cell.losses()).isZero();
    }

    @Test
    void aMoveDoesNotForgetWhoWaits() {
        startAll(FIRST);
        holds("a");
        cell.acquire("b", LEASE);
        read(GROWN, "a", "b", "c");
        cell.start("d", GROWN);
        cell.start("e", GROWN);
        while (generations("a", "b", "c").contains(1)) {
            cell.pass(Duration.ofMillis(10));
        }
        cell.release("a");
        cell.pass(Duration.ofMillis(50));
        assertThat(cell.holder()).isEqualTo("b");
    }

    /** R1: it was sent in the mode of the list before, so the acceptor that has moved does not grant it; its sender is to propose again. */
    @Test
    void aProposalThatIsKeptOverAMoveIsNotGranted() {
        startAll(FIRST);
        holds("b");
        read(GROWN, "a", "b", "c");
        assertKeptProposalIsNotGrantedAfter(() -> generations("a").contains(2));
    }

    /** d and e come, and a keeps a proposal of the list before until that has happened; then the lease is free. */
    private void assertKeptProposalIsNotGrantedAfter(BooleanSupplier event) {
        cell.start("d", GROWN);
        cell.start("e", GROWN);
        Ballot ballot;
        do {
            ballot = new Ballot(cell.now().wallMicros(), new Incarnation(8, 8));
            PaxosMessage.Propose old = new PaxosMessage.Propose(
                    "r", ballot, LEASE.toNanos(), 1, PaxosMessage.QueueMode.QUEUE, ballot.counter());
            cell.receive("z", "a", old);
            cell.pass(Duration.ofMillis(10));
        } while (!event.getAsBoolean());
        cell.release("b");
        cell.pass(Duration.ofMillis(50));
        assertThat(cell.undelivered())
                .contains(new PaxosMessage.Stale("r", ballot, 1, ballot.counter()))
                .noneMatch(sent -> sent instanceof PaxosMessage.Accepted);
    }

    /** R1: the acceptor does not move, as its store cannot be read; but its own list decides nothing any more. */
    @Test
    void aProposalThatIsKeptUntilTheNextGenerationIsSealedIsNotGranted() {
        startAll(FIRST);
        holds("b");
        read(GROWN, "b", "c");
        assertKeptProposalIsNotGrantedAfter(() -> sealed("a").contains(2));
        assertThat(generations("a")).containsExactly(1);
    }

    /** O6: an acceptor that served nothing between a seal and its next move is as strict as one that did. */
    @Test
    void aTokenFromBeforeASealIsTooLowAfterAMoveToo() {
        startAll(FIRST);
        read(GROWN, "a", "b", "c");
        cell.start("d", GROWN);
        cell.start("e", GROWN);
        long before = 0;
        while (!sealed("d").contains(2)) {
            before = cell.now().wallMicros();
            cell.pass(Duration.ofMillis(10));
        }
        read(SHRUNK, "a", "b", "c", "d", "e");
        while (generations("d").contains(2)) {
            cell.pass(Duration.ofMillis(10));
        }
        assertThat(sealed("d")).containsExactly(2);
        PaxosMessage.Prepare low = new PaxosMessage.Prepare("r", new Ballot(before, new Incarnation(7, 7)), 1);
        List<Effect> effects = cell.node("d")
                .step(
                        new Event.Received(
                                new NodeId("a"), new PaxosMessage.InMode(Quorum.joint(3), SHRUNK.content(), low)),
                        cell.now());
        assertThat(effects)
                .anyMatch(effect -> effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.Stale);
    }

    /** R5: the seal of two is not aged when the store says that three follows. */
    @Test
    void nobodyMovesOnBeforeItsOwnGenerationIsSealed() {
        startAll(FIRST);
        read(GROWN, "a", "b", "c");
        cell.start("d", GROWN);
        cell.start("e", GROWN);
        cell.pass(Duration.ofSeconds(5));
        assertThat(generations("a", "b", "c")).containsOnly(2);
        assertThat(sealed("a", "b", "c")).containsOnly(1);
        read(SHRUNK, "a", "b", "c", "d", "e");
        cell.pass(Duration.ofSeconds(1));
        assertThat(generations("a", "b", "c", "d", "e")).containsOnly(2);
        cell.pass(CHANGE);
        assertThat(generations("a", "b", "c", "d", "e")).containsOnly(3);
    }

    /** Some have a store that cannot be read for a while: the seal needs a majority of those before, and they follow later. */
    @Test
    void aMemberThatReadsTheStoreLateMovesOnceItReadsIt() {
        startAll(FIRST);
        holds("c");
        read(GROWN, "a", "b");
        cell.start("d", GROWN);
        cell.start("e", GROWN);
        cell.pass(CHANGE);
        assertThat(sealed("a", "b", "c", "d", "e")).containsOnly(2);
        assertThat(generations("a", "b", "c")).containsExactly(2, 2, 1);
        read(GROWN, "c");
        assertThat(generations("c")).containsExactly(2);
        cell.pass(Duration.ofSeconds(10));
        assertThat(cell.holder()).isEqualTo("c");
        assertThat(cell.losses()).isZero();
    }

    /** A new member was configured without the store, or two operators change the cell at once. */
    @Test
    void whatAnotherContentOfTheGenerationAsksIsNotGranted() {
        assertThat(new TwoContents().get()).isEmpty();
    }

    /** R8: members that were restarted with the next generation and others that move are no different. */
    @Test
    void oneRestartsAndTheOthersMove() {
        startAll(FIRST);
        holds("a");
        cell.start("d", GROWN);
        cell.start("e", GROWN);
        cell.start("c", GROWN);
        read(GROWN, "a", "b");
        cell.pass(CHANGE.plus(QUARANTINE));
        assertThat(sealed("a", "b", "c", "d", "e")).containsOnly(2);
        assertThat(cell.losses()).isZero();
    }

    /** A round trip of 0.4 s is longer than a quarter of M x gamma, which is the time between two questions. */
    @Test
    void aGenerationIsSealedOverASlowLink() {
        Duration second = Duration.ofSeconds(1);
        MemberList three = ChangingCell.list(second, "a", "b", "c");
        Generation next = new Generation(2, ChangingCell.list(second, "a", "b", "d"), three);
        startAll(Generation.first(three));
        cell.delay(Duration.ofMillis(200));
        read(next, "a", "b", "c");
        cell.start("d", next);
        cell.pass(Duration.ofSeconds(8));
        assertThat(sealed("a", "b", "c", "d")).containsOnly(2);
    }
}
