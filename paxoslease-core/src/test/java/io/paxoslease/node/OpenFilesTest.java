package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Tag("slow")
class OpenFilesTest {

    private static final int ENOUGH = 10_000 + 2 * 4 + 128;

    @Test
    void aLimitThatIsTooLowForTheClientsIsAProblem() {
        assertThat(OpenFiles.problem(ENOUGH - 1, "n1", 10_000, 2))
                .contains("Node 'n1' admits 10000 clients (maxClients), which takes 10136 open files")
                .contains("the limit of this process is 10135")
                .contains("Raise the limit")
                .contains("or lower maxClients");
        assertThat(OpenFiles.problem(ENOUGH, "n1", 10_000, 2)).isNull();
    }

    @Test
    void withoutClientsOrLimitThereIsNone() {
        assertThat(OpenFiles.problem(64, "n1", 0, 2)).isNull();
        assertThat(OpenFiles.problem(-1, "n1", 10_000, 2)).isNull();
    }

    /** A process of its own, as the limit is one of the process. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    @Timeout(60)
    void aMemberSaysSoAtItsStart() throws Exception {
        assertThat(started(500)).contains("WARN Node 'a' admits 1000 clients", "the limit of this process is 500");
        assertThat(started(1_500)).contains("PaxosLease node 'a' of cell").doesNotContain("open files");
    }

    private static String started(int limit) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n " + limit + " && exec \"$@\"",
                        "sh",
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Member.class.getName(),
                        String.valueOf(FreePorts.next()))
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    /** The main class of that process. */
    static final class Member {

        private Member() {}

        public static void main(String... args) {
            try (LogCapture log = LogCapture.ofNode();
                    PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("a")
                            .peer("a", "127.0.0.1:" + args[0])
                            .maxClients(1_000)
                            .build())) {
                node.start();
                log.lines().forEach(System.out::println);
            }
        }
    }
}
