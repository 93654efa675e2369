package io.paxoslease.samples.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.samples.shards.Report.Kind;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void aLineIsReadAsItWasWritten() {
        Report report = new Report(Kind.REFUSED, 3, 17, 1_000_000, 18);
        assertThat(Report.parse(report.toLine())).contains(report);
    }

    @Test
    void anyOtherLineAndHalfOfAReportAreNone() {
        assertThat(Report.parse("Started")).isEmpty();
        assertThat(Report.parse("@shards GRANTED 3 17")).isEmpty();
    }
}
