package io.paxoslease.rivals.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.rivals.Workload;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ReportTest {

    @Test
    void onlyWhatIsBetweenTheMarksIsReplaced() {
        String page = "before\n<!-- results: idle -->\nold\n<!-- end: idle -->\nafter\n";
        assertThat(Report.replaced(page, "idle", "new\n"))
                .isEqualTo("before\n<!-- results: idle -->\nnew\n<!-- end: idle -->\nafter\n");
    }

    @Test
    void aPageWithoutTheMarksIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Report.replaced("nothing", "idle", "new\n"))
                .withMessageContaining("<!-- results: idle -->");
    }

    @Test
    void resultsArePutIntoThePageWithAPicture(@TempDir Path directory) throws IOException {
        Path results = Files.createDirectory(directory.resolve("results"));
        Path docs = Files.createDirectory(directory.resolve("docs"));
        Files.writeString(
                docs.resolve("performance.md"),
                "<!-- results: idle -->\n<!-- end: idle -->\n<!-- results: contenders -->\n<!-- end: contenders -->\n");
        Samples samples = new Samples();
        samples.add("ours", "client-ms-per-s", 4);
        samples.write(results.resolve("idle.csv"));
        Files.writeString(results.resolve("idle.txt"), "machine: none\n");
        Files.writeString(results.resolve("contenders.csv"), "contender,title,settings\nours,Title,\"a, b\"\n");
        Report.write(results, docs);
        assertThat(docs.resolve("performance.md"))
                .content()
                .contains("(performance/idle.svg)", "| PaxosLease, locks, nothing kept | 4.00 | - |", "machine: none")
                .contains("| Title | `ours` | a, b |");
        assertThat(docs.resolve("performance").resolve("idle.svg")).exists();
    }

    @Test
    void aPictureIsWellFormedAndHasABarForEachPositiveFigure() throws Exception {
        Chart chart = new Chart(
                "Title <&>",
                "ms",
                List.of(
                        new Chart.Bar("one", 0.5, "ours"),
                        new Chart.Bar("two", 5_000, "other"),
                        new Chart.Bar("none", Double.NaN, "other"),
                        new Chart.Bar("zero", 0, "other")));
        Document svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(chart.svg())));
        // The page itself is one, too.
        assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(3);
    }

    @Test
    void aPictureOfNothingIsWellFormed() throws Exception {
        String svg = new Chart("Title", "ms", List.of()).svg();
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        for (Workload workload : Workload.values()) {
            for (Column column : Report.drawn(workload)) {
                assertThat(Report.chart(workload, column, new Samples()).svg()).startsWith("<svg");
            }
        }
    }
}
