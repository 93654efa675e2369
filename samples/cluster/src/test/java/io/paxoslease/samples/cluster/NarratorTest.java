package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.paxoslease.samples.cluster.Report.Kind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class NarratorTest {

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final Journal journal = new Journal();
    private final Narrator narrator =
            new Narrator(new Screen(new PrintStream(written, true, StandardCharsets.UTF_8), false), journal);

    @Test
    void theLeaderTicks() {
        granted("n1", 10, 1_000);
        tick("n1", 10, 1_500);

        assertThat(lines()).containsExactly("n1  LEADS (fencing token 10)", "n1  tick 1");
        assertThat(narrator.leader()).isEqualTo("n1");
    }

    @Test
    void aTickAfterALaterGrantIsASecondLeader() {
        granted("n1", 10, 1_000);
        granted("n2", 20, 2_000);
        tick("n1", 10, 2_001);

        assertThat(lines()).last().isEqualTo("n1  ALARM: it ticks with token 10, while n2 leads");
    }

    @Test
    void aTickAfterItsOwnRevocationIsNoLeaders() {
        granted("n1", 10, 1_000);
        narrator.reported("n1", Report.of(Kind.REVOKED).with("at", 1_200L));
        tick("n1", 10, 1_201);

        assertThat(lines()).last().asString().contains("ALARM");
        assertThat(narrator.leader()).isNull();
    }

    @Test
    void aTickOfBeforeThatArrivesLateIsNotShown() {
        granted("n1", 10, 1_000);
        granted("n2", 20, 2_000);
        tick("n1", 10, 1_999);

        assertThat(lines()).hasSize(2);
    }

    @Test
    void aTakeOverTellsItsTime() {
        granted("n1", 10, 1_000);
        narrator.signalling("n1", Action.KILL, "is killed");
        granted("n2", 20, Long.MAX_VALUE);

        assertThat(lines()).last().asString().contains("LEADS, ", " s after the kill of n1 (fencing token 20)");
    }

    @Test
    void aHandOverShowsTheTimeWithoutALeader() {
        granted("n1", 10, 1_000);
        narrator.reported("n1", Report.of(Kind.REVOKED).with("at", 1_200L));
        granted("n2", 20, 1_231);

        assertThat(lines())
                .last()
                .isEqualTo("n2  LEADS, 31 ms after the end of the leadership of n1 (fencing token 20)");
    }

    @Test
    void aPartitionThatTheLeaderCameThroughIsNoCause() {
        granted("n1", 10, 1_000);
        narrator.partitioned("n1");
        narrator.healed("n1");
        granted("n2", 20, Long.MAX_VALUE);

        assertThat(lines())
                .containsExactly(
                        "n1  LEADS (fencing token 10)",
                        "n1  is cut off from the others",
                        "n1  is connected again",
                        "n2  LEADS (fencing token 20)");
    }

    @Test
    void thePageIsToldOfHandOversAndNotOfTicks() {
        granted("n1", 10, 1_000);
        tick("n1", 10, 1_500);
        narrator.paused("n1");
        granted("n2", 20, 5_000);
        tick("n1", 10, 5_001);

        assertThat(journal.after(1))
                .extracting(Journal.Event::id, Journal.Event::kind, Journal.Event::node)
                .containsExactly(
                        tuple(2L, Journal.Kind.PROCESS, "n1"),
                        tuple(3L, Journal.Kind.GRANTED, "n2"),
                        tuple(4L, Journal.Kind.ALARM, "n1"));
    }

    @Test
    void theCounterIsTheHighestReported() {
        narrator.reported(
                "n2", Report.of(Kind.COUNTER).with("total", 5).with("n1", 2).with("n2", 3));
        narrator.reported(
                "n1", Report.of(Kind.COUNTER).with("total", 4).with("n1", 2).with("n2", 2));
        narrator.reported("n1", Report.of(Kind.LOST_UPDATE).with("what", "n1_wrote_2_and_found_1"));
        narrator.showCounter();

        assertThat(lines())
                .containsExactly(
                        "n1  LOST UPDATE: n1 wrote 2 and found 1", "    counter 5 = 2 (n1) + 3 (n2), lost updates 1");
    }

    private void granted(String name, long token, long at) {
        narrator.reported(name, Report.of(Kind.GRANTED).with("token", token).with("at", at));
    }

    private void tick(String name, long token, long at) {
        narrator.reported(
                name,
                Report.of(Kind.TICK).with("number", 1).with("token", token).with("at", at));
    }

    /** Without the seconds. */
    private List<String> lines() {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceFirst("^ *[0-9.]+ s  ", ""))
                .toList();
    }
}
