package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Section 9, R1 to R8: whole nodes while the list of members changes by restarts, with every message on its way for no time. */
class GenerationChangeTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration MAX = Duration.ofSeconds(3);
    /** M x gamma of three seconds, and a little for the work. */
    private static final Duration QUARANTINE = Duration.ofMillis(3_700);

    private static final MemberList THREE = ChangingCell.list(MAX, "a", "b", "c");
    private static final MemberList FIVE = ChangingCell.list(MAX, "a", "b", "c", "d", "e");

    private final ChangingCell cell = new ChangingCell();

    private void startAll(Generation generation) {
        generation.current().members().forEach(id -> cell.start(id.name(), generation));
        cell.pass(QUARANTINE);
    }

    private void restart(String name, Generation generation) {
        cell.start(name, generation);
        cell.pass(QUARANTINE);
    }

    private List<String> sealedAt(String... names) {
        return List.of(names).stream()
                .filter(name -> cell.node(name).sealedGeneration() == 2)
                .toList();
    }

    /** New members first, then one after the other, each after the quarantine of the one before. */
    @Test
    void threeMembersBecomeFiveWhileOneLeaseIsHeldAllTheTime() {
        startAll(Generation.first(THREE));
        cell.acquire("a", LEASE);
        cell.pass(Duration.ofMillis(100));
        Generation second = new Generation(2, FIVE, THREE);
        restart("d", second);
        restart("e", second);
        restart("c", second);
        restart("b", second);
        assertThat(cell.holder()).isEqualTo("a");
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(sealedAt("a", "b", "c", "d", "e")).containsExactly("a", "b", "c", "d", "e");
        assertThat(cell.holder()).isEqualTo("a");
        assertThat(cell.granted()).hasSize(1);
        assertThat(cell.losses()).isZero();

        restart("a", second);
        cell.acquire("d", LEASE);
        cell.pass(Duration.ofMillis(100));
        assertThat(cell.holder()).isEqualTo("d");
        cell.stop("a");
        cell.stop("b");
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.holder()).as("three of five").isEqualTo("d");
        assertThat(cell.losses()).isZero();
        assertThat(cell.granted()).isSorted();
    }

    @Test
    void fiveMembersBecomeThreeAndThoseThatAreLeftOutMayStopOnceTheChangeIsSealed() {
        startAll(Generation.first(FIVE));
        cell.acquire("b", LEASE);
        cell.pass(Duration.ofMillis(100));
        Generation second = new Generation(2, THREE, FIVE);
        List.of("e", "d", "c", "a").forEach(each -> restart(each, second));
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(sealedAt("a", "b", "c")).containsExactly("a", "b", "c");
        assertThat(cell.holder()).isEqualTo("b");
        cell.release("b");
        cell.acquire("a", LEASE);
        restart("b", second);
        cell.stop("d");
        cell.stop("e");
        cell.stop("c");
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.holder()).as("a and b are two of three").isEqualTo("a");
        assertThat(cell.losses()).isZero();
    }

    /** Nothing of the dead one is needed: a majority of the list before is, so while one of two restarts nothing is granted. */
    @Test
    void aDeadMemberIsReplaced() {
        startAll(Generation.first(THREE));
        cell.acquire("a", LEASE);
        cell.pass(Duration.ofMillis(100));
        cell.stop("c");
        Generation second = new Generation(2, ChangingCell.list(MAX, "a", "b", "d"), THREE);
        restart("d", second);
        assertThat(cell.holder()).isEqualTo("a");
        restart("b", second);
        assertThat(cell.holder()).isNull();
        cell.acquire("d", LEASE);
        cell.pass(Duration.ofSeconds(1));
        assertThat(cell.holder()).isEqualTo("d");
        restart("a", second);
        cell.pass(Duration.ofSeconds(2));
        assertThat(sealedAt("a", "b", "d")).isEmpty();
        cell.pass(QUARANTINE);
        assertThat(sealedAt("a", "b", "d")).containsExactly("a", "b", "d");
        cell.acquire("d", LEASE);
        cell.pass(Duration.ofSeconds(1));
        cell.stop("b");
        cell.pass(Duration.ofSeconds(10));
        assertThat(cell.holder()).isEqualTo("d");
    }

    @Test
    void allMembersMoveToOtherHosts() {
        startAll(Generation.first(THREE));
        cell.acquire("a", LEASE);
        cell.pass(Duration.ofMillis(100));
        Generation second = new Generation(2, ChangingCell.list(MAX, "x", "y", "z"), THREE);
        List.of("x", "y", "z", "c", "b").forEach(each -> restart(each, second));
        assertThat(cell.holder()).isEqualTo("a");
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(sealedAt("a", "x", "y", "z")).containsExactly("a", "x", "y", "z");
        cell.release("a");
        List.of("a", "b", "c").forEach(cell::stop);
        cell.acquire("z", LEASE);
        cell.pass(Duration.ofMillis(500));
        assertThat(cell.holder()).isEqualTo("z");
    }

    @Test
    void aChangeIsUndoneBeforeTheSeal() {
        startAll(Generation.first(THREE));
        cell.acquire("a", LEASE);
        cell.pass(Duration.ofMillis(100));
        Generation second = new Generation(2, FIVE, THREE);
        restart("d", second);
        restart("c", second);
        cell.stop("d");
        restart("c", Generation.first(THREE));
        cell.pass(Duration.ofSeconds(60));
        assertThat(sealedAt("a", "b", "c")).isEmpty();
        assertThat(cell.losses()).isZero();
    }

    /** R7. It hears of the seal before its quarantine is over, so it never votes. */
    @Test
    void aMemberThatRestartsWithTheListFromBeforeTheSealDoesNotVote() {
        startAll(Generation.first(THREE));
        Generation second = new Generation(2, FIVE, THREE);
        List.of("d", "e", "c", "b").forEach(each -> restart(each, second));
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(sealedAt("a", "b", "c", "d", "e")).hasSize(5);
        restart("c", Generation.first(THREE));
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.node("c").serves(cell.now())).isFalse();
        assertThat(cell.node("b").serves(cell.now())).isTrue();
    }

    /** U1, U2: until the seal the shorter lease is granted; what is held goes on for that. */
    @Test
    void theLongestLeaseShrinksAndGrowsWithoutALoss() {
        MemberList shorter = ChangingCell.list(Duration.ofSeconds(1), "a", "b", "c");
        Generation first = Generation.first(THREE);
        Generation second = new Generation(2, shorter, THREE);
        Generation third = new Generation(3, THREE, shorter);
        startAll(first);
        cell.acquire("a", LEASE);
        cell.pass(Duration.ofMillis(100));
        restart("c", second);
        restart("b", second);
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(sealedAt("a", "b", "c")).hasSize(3);
        assertThat(cell.holder()).isEqualTo("a");
        restart("a", second);
        cell.acquire("b", Duration.ofSeconds(1));
        cell.pass(Duration.ofSeconds(5));
        assertThat(cell.holder()).isEqualTo("b");
        restart("a", third);
        restart("c", third);
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(cell.node("b").sealedGeneration()).isEqualTo(3);
        assertThat(cell.holder()).isEqualTo("b");
        assertThat(cell.losses()).isZero();
    }

    @Test
    void theOperatorHearsOfBothModes() {
        startAll(Generation.first(THREE));
        Generation second = new Generation(2, FIVE, THREE);
        List.of("d", "e", "c", "b").forEach(each -> restart(each, second));
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(cell.notices())
                .contains(
                        "a: The cell changes to generation 2: until it is sealed, majorities of both [a, b, c] and [a, b, c, d, e] decide",
                        "d: Generation 2 is sealed: its members [a, b, c, d, e] decide alone",
                        "a: Generation 2 is sealed: its members [a, b, c, d, e] decide alone. Node 'a' was started with generation 1 and no longer votes: restart it with the configuration of generation 2");
    }

    @Test
    void theOperatorHearsOfAMemberThatIsDroppedAndGoesOn() {
        startAll(Generation.first(THREE));
        Generation second = new Generation(2, ChangingCell.list(MAX, "a", "b", "d"), THREE);
        List.of("d", "b", "a").forEach(each -> restart(each, second));
        cell.pass(QUARANTINE.plusSeconds(1));
        assertThat(cell.notices())
                .contains(
                        "c: Generation 2 is sealed: its members [a, b, d] decide alone. Node 'c' is no longer a member: stop it, and leave nothing that starts it with its configuration of generation 1 again");
    }
}
