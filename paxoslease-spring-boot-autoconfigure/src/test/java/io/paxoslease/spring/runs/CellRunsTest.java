package io.paxoslease.spring.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class CellRunsTest {

    private static final Instant MONDAY = Instant.parse("2026-11-23T03:00:00Z");
    private static final Instant TUESDAY = Instant.parse("2026-11-24T03:00:00Z");

    private final InMemoryCell cell = InMemoryCell.of(Duration.ofSeconds(3), Duration.ofSeconds(3), "a", "b", "c");
    private Instant now = TUESDAY.plusSeconds(1);
    private final RunLog former = new CellRuns(cell.node("a"), () -> now);
    private final RunLog next = new CellRuns(cell.node("b"), () -> now);

    @AfterEach
    void close() {
        cell.close();
    }

    private static ScheduledRun run(Instant slot, long token) {
        return new ScheduledRun("shop", "reports", "Reports.nightly()", slot, token);
    }

    @Test
    void whereNothingIsRememberedNothingWasMissedAndTheNextSlotIs() {
        assertThat(former.isMissed(run(MONDAY, 1))).isFalse();
        assertThat(next.isMissed(run(MONDAY, 2))).isFalse();
        assertThat(next.begin(run(MONDAY, 2))).isFalse();
        assertThat(next.isMissed(run(TUESDAY, 2))).isTrue();
    }

    @Test
    void whereNothingIsRememberedARunThatIsDueBegins() {
        assertThat(former.begin(run(MONDAY, 1))).isTrue();
    }

    @Test
    void aFinishedSlotIsNotRunAgainByAnotherNode() {
        former.begin(run(MONDAY, 1));
        former.finish(run(MONDAY, 1));
        assertThat(next.isMissed(run(MONDAY, 2))).isFalse();
        assertThat(next.begin(run(MONDAY, 2))).isFalse();
        assertThat(next.begin(run(TUESDAY, 2))).isTrue();
        assertThat(former.begin(run(MONDAY, 3))).isFalse();
    }

    @Test
    void aSlotThatIsNotFinishedIsRunByALaterLeaderOnly() {
        former.isMissed(run(MONDAY, 1));
        assertThat(former.begin(run(TUESDAY, 1))).isTrue();
        assertThat(former.begin(run(TUESDAY, 1))).isFalse();

        assertThat(next.isMissed(run(TUESDAY, 2))).isTrue();
        assertThat(next.begin(run(TUESDAY, 2))).isTrue();
        assertThat(former.begin(run(TUESDAY, 3))).isTrue();
    }

    @Test
    void methodsAndRolesAreApart() {
        former.finish(run(TUESDAY, 1));
        assertThat(next.begin(new ScheduledRun("shop", "billing", "Reports.nightly()", MONDAY, 1)))
                .isTrue();
        assertThat(next.begin(new ScheduledRun("shop", "reports", "Reports.weekly()", MONDAY, 1)))
                .isTrue();
    }

    /** A stopped node cannot ask. */
    @Test
    void aRunThatIsDueBeginsWithoutTheMembersAndAMissedOneDoesNot(CapturedOutput output) {
        cell.crash("a");
        assertThat(former.begin(run(MONDAY, 1))).isTrue();
        assertThat(output)
                .contains("The members cannot be asked whether it is finished, so it counts as unfinished")
                .doesNotContain("\tat ");
        assertThatExceptionOfType(PaxosLeaseException.class).isThrownBy(() -> former.isMissed(run(MONDAY, 1)));
        assertThatExceptionOfType(PaxosLeaseException.class).isThrownBy(() -> former.finish(run(MONDAY, 1)));
    }

    /** The end of a leadership interrupts its calls. */
    @Test
    void aRunThatIsDueDoesNotBeginOnceItsThreadIsInterrupted(CapturedOutput output) {
        cell.disconnect("a");
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(PaxosLeaseException.class)
                .isThrownBy(() -> former.begin(run(MONDAY, 1)))
                .withMessageContaining("Interrupted");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(output).doesNotContain("cannot be asked");
    }

    @Test
    void anInterruptEndsTheWait() {
        cell.disconnect("a");
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(PaxosLeaseException.class)
                .isThrownBy(() -> former.finish(run(MONDAY, 1)))
                .withMessageContaining("Interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    /** A register never falls again, so one message of any client would end the runs of a method for good. */
    @Test
    void aSlotFarInTheFutureIsNotBelieved() {
        long token = 0;
        for (long raised : new long[] {now.getEpochSecond() + 3_601, Long.MAX_VALUE}) {
            cell.node("c")
                    .registers()
                    .raise("runs:reports/Reports.nightly()", raised)
                    .join();
            assertThat(next.begin(run(TUESDAY, ++token))).isTrue();
            assertThat(next.isMissed(run(TUESDAY, ++token)))
                    .as("nothing is remembered")
                    .isFalse();
        }
    }

    /** As where the clock of the former leader is ahead. */
    @Test
    void aSlotThatAnotherClockMayHaveFinishedIsBelieved() {
        now = TUESDAY.minusSeconds(3_600);
        former.finish(run(TUESDAY, 1));
        assertThat(next.begin(run(TUESDAY, 2))).isFalse();
        assertThat(next.isMissed(run(TUESDAY, 2))).isFalse();
    }
}
