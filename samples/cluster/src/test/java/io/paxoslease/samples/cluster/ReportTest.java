package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void aReportIsOneLineAndBack() {
        Report report = Report.of(Report.Kind.GRANTED).with("role", "billing").with("token", 17L);

        assertThat(report.toLine()).isEqualTo("@cluster granted role=billing token=17");
        assertThat(Report.parse(report.toLine())).contains(report);
        assertThat(report.number("token")).isEqualTo(17);
    }

    @Test
    void everyOtherLineIsForTheLog() {
        assertThat(Report.parse("Started in 3 s")).isEmpty();
        assertThat(Report.parse("@cluster something=else")).isEmpty();
    }
}
