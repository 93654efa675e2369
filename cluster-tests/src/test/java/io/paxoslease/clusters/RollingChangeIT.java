package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.SupervisedProcess.End;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The members are changed by a plain rolling restart, which the manual forbids: that may cost service until it is finished or
 * undone, and never the promise. Processes of this machine; the tests run side by side, since they mostly wait.
 */
@Tag("cluster")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class RollingChangeIT {

    private final Path directory;

    RollingChangeIT(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) {
        this.directory = directory;
    }

    /**
     * The order names each instance once: it is restarted, or started when it is new, or ended for good. A capital is a crash: the
     * instance comes back with the list it had.
     */
    @ParameterizedTest(name = "{0} to {1} in the order {3}, each by a {2}")
    @CsvSource({
        "abc, abcde, KILL, bdCeac", // the new ones after the first old one: they and it are a majority of five
        "abc, abd, KILL, adbc", // the new one and one restarted one are a majority, and so are the others
    })
    @Execution(ExecutionMode.CONCURRENT)
    void aChangeInstanceByInstanceNeverMakesTwoLeadersAndEndsInService(
            String before, String after, End how, String order) {
        try (ProcessCell cell = new ProcessCell(directory, allOf(before, after)).start(before)) {
            cell.change(after, how, order);

            cell.awaitService();
            assertThat(violations(cell.end())).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0} to {1} in the order {3}, each by a {2}")
    @Tag("deep")
    @CsvSource({
        "abc, abcde, STOP, decba", // the new ones first
        "abcde, abc, STOP, abDcde", // those that leave last: they and one more are a majority of five
        "abcde, abc, KILL, edcba", // those that leave first
        "abc, abd, STOP, cbad"
    })
    @Execution(ExecutionMode.CONCURRENT)
    void aChangeInAnotherOrderNeverMakesTwoLeadersAndEndsInService(String before, String after, End how, String order) {
        aChangeInstanceByInstanceNeverMakesTwoLeadersAndEndsInService(before, after, how, order);
    }

    @Test
    @Tag("deep")
    @Execution(ExecutionMode.CONCURRENT)
    void aChangeThatIsUndoneHalfWayNeverMakesTwoLeadersAndEndsInService() {
        try (ProcessCell cell = new ProcessCell(directory, "abcde").start("abc")) {
            cell.change("abcde", End.KILL, "bde");
            cell.change("abc", End.STOP, "edb");

            cell.awaitService();
            assertThat(violations(cell.end())).isEmpty();
        }
    }

    /** Its own list is the mistake, so it is the one that does not lead; the other two need nothing from it. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void oneOfThreeWithAWrongListCostsNothingAndServesOnceItIsRight() {
        try (ProcessCell cell = new ProcessCell(directory, "abcx").start("abc")) {
            String wrong = cell.leader().node().equals("c") ? "b" : "c";
            String others = "abc".replace(wrong, "");
            long begin = System.nanoTime();

            cell.change(others.charAt(0) + wrong + "x", End.KILL, wrong);
            cell.awaitService();
            long corrected = System.nanoTime();
            cell.change("abc", End.STOP, wrong);
            cell.awaitUp(wrong, corrected);

            History history = cell.end();
            assertThat(violations(history)).isEmpty();
            assertThat(history.between(begin, corrected))
                    .extracting(Tenure::node)
                    .doesNotContain(wrong);
            assertThat(longestGap(history, begin, corrected)).isLessThan(ProcessCell.LEASE.multipliedBy(3));
        }
    }

    /** Each is alone in its own list: what is looked for everywhere else must be found here. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void twoLeadersAreNoticed() {
        try (ProcessCell cell = new ProcessCell(directory, "ab")) {
            cell.start("a", "a");
            cell.start("b", "b");

            Wait.until("overlaps are found", () -> {
                History history = cell.history();
                return history.violations().stream().anyMatch(each -> each.startsWith("OVERLAP"))
                        && history.violations().stream().anyMatch(each -> each.startsWith("WORK OVERLAP"));
            });
        }
    }

    /** The first ones: the work of two leaders makes many. */
    private static List<String> violations(History history) {
        return history.violations().stream().limit(5).toList();
    }

    private static String allOf(String before, String after) {
        return before + after.replaceAll("[" + before + "]", "");
    }

    /** Of which no instance certainly led, by the witnesses, which ask every millisecond. */
    private static Duration longestGap(History history, long from, long to) {
        long end = from;
        long longest = 0;
        for (Tenure tenure : history.between(from, to)) {
            longest = Math.max(longest, tenure.from() - end);
            end = Math.max(end, tenure.to());
        }
        return Duration.ofNanos(Math.max(longest, to - end));
    }
}
