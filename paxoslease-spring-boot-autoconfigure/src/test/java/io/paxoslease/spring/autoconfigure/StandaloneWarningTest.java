package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLeaseOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.TestContext;

@ExtendWith(OutputCaptureExtension.class)
class StandaloneWarningTest {

    private final PaxosLeaseOptions alone = PaxosLeaseOptions.builder("local").build();
    private final PaxosLeaseOptions onePeer =
            PaxosLeaseOptions.builder("a").peer("a", "10.0.0.1:7400").build();
    private final PaxosLeaseOptions three = PaxosLeaseOptions.builder("a")
            .peer("a", "10.0.0.1:7400")
            .peer("b", "10.0.0.2:7400")
            .peer("c", "10.0.0.3:7400")
            .build();
    /** As in production. */
    private final ClassLoader withoutTests = new FilteredClassLoader(TestContext.class);

    @Test
    void whoIsAloneInProductionIsWarned(CapturedOutput output) {
        StandaloneWarning.warn(alone, null, withoutTests);
        assertThat(output)
                .contains("WARN")
                .contains("Node 'local' forms a cell by itself (paxoslease.standalone=true)");
    }

    @Test
    void aSinglePeerIsWarnedOfToo(CapturedOutput output) {
        StandaloneWarning.warn(onePeer, null, withoutTests);
        assertThat(output)
                .contains("WARN")
                .contains("Node 'a' forms a cell by itself (paxoslease.peers has one entry)")
                .contains("List all instances in paxoslease.peers");
    }

    @Test
    void neitherInTestsNorOfSeveralPeers(CapturedOutput output) {
        StandaloneWarning.warn(alone, null, getClass().getClassLoader());
        StandaloneWarning.warn(three, null, withoutTests);
        StandaloneWarning.warn(three, "in this test", withoutTests);
        assertThat(output).doesNotContain("forms a cell by itself", "No cell is configured");
    }

    @Test
    void aTestThatWaitsForOtherMembersIsWarned(CapturedOutput output) {
        StandaloneWarning.warnOfPeersInTest(alone, getClass().getClassLoader());
        StandaloneWarning.warnOfPeersInTest(onePeer, getClass().getClassLoader());
        StandaloneWarning.warnOfPeersInTest(three, withoutTests);
        assertThat(output).doesNotContain("This test runs");

        StandaloneWarning.warnOfPeersInTest(three, getClass().getClassLoader());
        assertThat(output)
                .contains("WARN")
                .contains("This test runs node 'a' of a real cell")
                .contains("a majority of [a, b, c] answers")
                .contains("@AutoConfigureTestLeadership (paxoslease-spring-boot-test)");
    }

    @Test
    void whoIsAloneForWantOfConfigurationIsWarnedInTestsToo(CapturedOutput output) {
        StandaloneWarning.warn(alone, "in this test", getClass().getClassLoader());
        assertThat(output)
                .contains("WARN")
                .contains("No cell is configured, so node 'local' is a cell of its own in this test")
                .contains("list all instances in paxoslease.peers, or set paxoslease.standalone=true");
    }
}
