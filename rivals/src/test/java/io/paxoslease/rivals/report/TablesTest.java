package io.paxoslease.rivals.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.rivals.Workload;
import org.junit.jupiter.api.Test;

class TablesTest {

    @Test
    void aTableHasALineForEachContenderThatWasMeasured() {
        Samples samples = new Samples();
        samples.add("tcp", "p50-us", 50);
        samples.add("tcp", "p99-us", 70);
        samples.add("ours", "p50-us", 123.456);
        assertThat(Tables.markdown(Workload.UNCONTENDED, samples)).isEqualTo("""
                | | p50, us | p99, us | p50 in TCP round trips |
                |---|---:|---:|---:|
                | (floor) one TCP round trip, no lock | 50.0 | 70.0 | 1.0 |
                | PaxosLease, locks, nothing kept | 123 | - | 2.5 |
                """);
    }

    @Test
    void locksThatTwoHeldAtOnceAreNamed() {
        Samples samples = new Samples();
        samples.add("etcd", "overlaps", 0);
        samples.add("etcd", "overlaps", 2);
        samples.add("ours", "overlaps", 0);
        assertThat(Tables.markdown(Workload.CONTENDED, samples)).endsWith("\nTwo threads were inside at once: etcd.\n");
    }

    @Test
    void figuresAreRoundedButNeverTheWholePart() {
        assertThat(Figures.text(1_234_567.8, 3)).isEqualTo("1,234,568");
        assertThat(Figures.text(12.345, 3)).isEqualTo("12.3");
        assertThat(Figures.text(0.0456, 3)).isEqualTo("0.046");
        assertThat(Figures.text(0, 2)).isEqualTo("0.0");
        assertThat(Figures.text(-3.14159, 2)).isEqualTo("-3.1");
        assertThat(Figures.text(Double.NaN, 3)).isEqualTo("-");
    }
}
