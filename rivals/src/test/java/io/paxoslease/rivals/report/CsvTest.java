package io.paxoslease.rivals.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CsvTest {

    @Test
    void plainValuesStandAsTheyAre() {
        assertThat(Csv.line("ours", "p50-us", 1, 2.5)).isEqualTo("ours,p50-us,1,2.5");
    }

    @Test
    void commasQuotesAndLineBreaksSurvive() {
        String line = Csv.line("a,b", "say \"hello\"", "two\nlines", "");
        assertThat(line).isEqualTo("\"a,b\",\"say \"\"hello\"\"\",two lines,");
        assertThat(Csv.values(line)).containsExactly("a,b", "say \"hello\"", "two lines", "");
    }
}
