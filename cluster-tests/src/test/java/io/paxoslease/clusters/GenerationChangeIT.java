package io.paxoslease.clusters;

import static io.paxoslease.clusters.ProcessCell.LEASE;
import static io.paxoslease.clusters.ProcessCell.each;
import static io.paxoslease.clusters.ProcessCell.plain;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.SupervisedProcess.End;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The members are changed by generations, by operators who do it right and by operators who do the obvious wrong things: that may cost
 * service until it is corrected, and never the promise, and a log says what to correct. Processes of this machine; the tests run side
 * by side, since they mostly wait.
 */
@Tag("cluster")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GenerationChangeIT {

    private static final Listing THREE = plain("abc");
    private static final Listing TO_FIVE = THREE.changedTo(each("abcde"));
    private static final Listing C_BECOMES_D = THREE.changedTo(each("abd"));

    private final Path directory;

    GenerationChangeIT(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) {
        this.directory = directory;
    }

    private ProcessCell cell(String nodes) {
        return new ProcessCell(directory, nodes);
    }

    /** As the manual has it: each instance starts at its first attempt. */
    private static void change(ProcessCell cell, Listing after, End how, String order) {
        cell.change(after, how, order);
        cell.awaitSealed(after.generation(), order);
        assertThat(each(order)).noneMatch(cell::hasFailed);
    }

    private static void end(ProcessCell cell, End how, String leaving) {
        each(leaving).forEach(node -> cell.end(node, how));
    }

    /** One of these leads, and never two did. */
    private static void assertServiceBy(ProcessCell cell, String members) {
        cell.awaitService();
        History history = cell.end();
        assertThat(history.violations().stream().limit(5)).isEmpty();
        assertThat(cell.leader().node()).isIn(each(members));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void threeBecomeFiveAndThreeAgain() {
        try (ProcessCell cell = cell("abcde").start(THREE)) {
            change(cell, TO_FIVE, End.STOP, "decba");
            change(cell, TO_FIVE.changedTo(THREE.members()), End.KILL, "cba");
            end(cell, End.STOP, "de");

            assertServiceBy(cell, "abc");
        }
    }

    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void allMembersMoveToOtherHosts() {
        try (ProcessCell cell = cell("abcdef").start(THREE)) {
            change(cell, THREE.changedTo(each("def")), End.STOP, "defab");
            end(cell, End.STOP, "abc");

            assertServiceBy(cell, "def");
        }
    }

    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void theLongestLeaseGrowsAndShrinks() {
        try (ProcessCell cell = cell("abc").start(THREE)) {
            Listing longer = THREE.changedTo(THREE.members(), LEASE.multipliedBy(2));
            change(cell, longer, End.STOP, "cba");
            change(cell, longer.changedTo(THREE.members(), LEASE), End.KILL, "abc");

            assertServiceBy(cell, "abc");
        }
    }

    /**
     * One is replaced. Its process was deleted by force and lives, because its host was not reachable; and then an old file comes back:
     * both together are a majority of the old list.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aMemberThatIsDroppedAndLivesAndAnOldFileAfterTheSealMakeNoMajority() {
        try (ProcessCell cell = cell("abcd").start(THREE)) {
            change(cell, C_BECOMES_D, End.STOP, "dba");
            cell.awaitLog("c", "Node 'c' is no longer a member: stop it");

            cell.change(THREE, End.KILL, "a");
            cell.awaitLog(
                    "a",
                    "Set paxoslease.generation to 2, paxoslease.peers to [a, b, d] and paxoslease.previous-peers to [a, b, c]",
                    // When it hears of the others too late to fail.
                    "Node 'a' was started with generation 1 and no longer votes: restart it with the configuration of generation 2");
            cell.awaitService();

            cell.end("c", End.KILL);
            change(cell, C_BECOMES_D, End.STOP, "a");
            assertServiceBy(cell, "abd");
        }
    }

    /** Its file lists the new members, as those of the others do, but nothing says that there were others before. */
    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void anInstanceWithoutMarksDoesNotStartUntilItHasThem() {
        try (ProcessCell cell = cell("abcd").start(THREE)) {
            cell.change(C_BECOMES_D, End.STOP, "da");
            cell.change("abd", End.KILL, "b");
            cell.awaitLog("b", "set on every node generation: 2, peers to the new value");
            cell.awaitLog("b", "on every node, write generation: 2 and previousPeers: [a, b, c]");

            change(cell, C_BECOMES_D, End.STOP, "b");
            end(cell, End.STOP, "c");
            assertServiceBy(cell, "abd");
        }
    }

    /** Generation 2 put d in place of c. The next change is to put e in place of d, and is called 2 again. */
    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void aGenerationThatIsUsedAgainDoesNotStartUntilItHasItsOwnNumber() {
        try (ProcessCell cell = cell("abcde").start(THREE)) {
            change(cell, C_BECOMES_D, End.STOP, "dba");
            end(cell, End.STOP, "c");

            Listing next = C_BECOMES_D.changedTo(each("abe"));
            cell.change(next.numbered(2), End.KILL, "b");
            cell.awaitLog("b", "generation 2 has two contents: peers [a, b, e] at 'b' but [a, b, d] at 'a'");
            cell.awaitLog("b", "each generation has one, so correct the file of the node that has the wrong one");
            cell.awaitService();

            change(cell, next, End.STOP, "eba");
            end(cell, End.STOP, "d");
            assertServiceBy(cell, "abe");
        }
    }

    /** One puts d in place of c and begins at a, the other one puts e in place of a and begins at c; both call it generation 2. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void twoOperatorsAtOnceMakeNoTwoCells() {
        try (ProcessCell cell = cell("abcde").start(THREE)) {
            Listing other = THREE.changedTo(each("bce"));
            cell.change(C_BECOMES_D, End.STOP, "d");
            cell.change(other, End.STOP, "e");
            cell.change(C_BECOMES_D, End.KILL, "a");
            cell.change(other, End.KILL, "c");
            for (String late : each("ec")) {
                cell.awaitLog(late, "generation 2 has two contents");
                cell.awaitLog(late, "so correct the file of the node that has the wrong one");
            }

            end(cell, End.STOP, "e");
            change(cell, C_BECOMES_D, End.STOP, "cb");
            end(cell, End.STOP, "c");
            assertServiceBy(cell, "abd");
        }
    }

    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void aChangeIsUndoneHalfWay() {
        try (ProcessCell cell = cell("abcde").start(THREE)) {
            cell.change(TO_FIVE, End.KILL, "dea");
            cell.change(THREE, End.STOP, "a");
            end(cell, End.KILL, "de");

            assertServiceBy(cell, "abc");
        }
    }

    /** More replicas, and the template from before: the new pods do not start until they have the new one. */
    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void aStatefulSetThatIsScaledBeforeItsTemplateChangesGoesOn() {
        try (ProcessCell cell = cell("abcde").start(THREE)) {
            cell.start("d", THREE);
            cell.start("e", THREE);
            for (String early : each("de")) {
                cell.awaitLog(early, "Does not list this node, '%s'; list every member".formatted(early));
            }

            change(cell, TO_FIVE, End.STOP, "edcb");
            change(cell, TO_FIVE, End.STOP, "a");
            assertServiceBy(cell, "abcde");
        }
    }

    /** The new template, and no more replicas: the old pods are a majority of both lists. */
    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void aStatefulSetThatIsScaledAfterItsTemplateHasChangedServesThroughout() {
        try (ProcessCell cell = cell("abcde").start(THREE)) {
            change(cell, TO_FIVE, End.STOP, "cba");
            cell.awaitService();

            change(cell, TO_FIVE, End.STOP, "de");
            assertServiceBy(cell, "abcde");
        }
    }

    /** A pod is deleted by force, so another one starts with its id while it lives. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aSecondProcessWithTheSameIdIsRefusedWhileTheFirstLives() {
        try (ProcessCell cell = cell("abcB").start(THREE)) {
            cell.start("B", THREE);
            cell.awaitLog("B", "give every process a node id of its own");

            cell.end("b", End.KILL);
            cell.awaitLog("B", "Started ProcessApplication");
            cell.end("c", End.KILL);
            assertServiceBy(cell, "ab");
        }
    }
}
