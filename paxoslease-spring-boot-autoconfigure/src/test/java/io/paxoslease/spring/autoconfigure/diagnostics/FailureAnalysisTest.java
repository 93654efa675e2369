package io.paxoslease.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.FailureAnalyses;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.lock.Locked;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The failure analyses that the user of an application reads if it does not start. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {

    @Test
    void aPortInUseIsExplained(CapturedOutput output) throws IOException {
        try (ServerSocket occupant = TestCell.freePort()) {
            int port = occupant.getLocalPort();
            assertFails(
                    App.class,
                    "paxoslease.node-id=a",
                    "paxoslease.peers.a=127.0.0.1:" + port,
                    "paxoslease.peers.b=127.0.0.1:1");
            assertThat(output)
                    .contains("APPLICATION FAILED TO START")
                    .contains("Port %d of 127.0.0.1, where node 'a' listens, is already in use.".formatted(port))
                    .contains("Stop the process that uses it, or give node 'a' another port");
        }
    }

    @Test
    void aHostThatDoesNotResolveIsExplained(CapturedOutput output) {
        assertFails(
                App.class,
                "paxoslease.node-id=a",
                "paxoslease.peers.a=no-such-host.invalid:7400",
                "paxoslease.peers.b=127.0.0.1:1");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The host 'no-such-host.invalid' that node 'a' listens on does not resolve.")
                .contains("Correct its address in the peers");
    }

    @Test
    void misuseOfOnLeaderIsExplained(CapturedOutput output) {
        assertFails(Misuse.class, "paxoslease.standalone=true");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Job.count() returns int, and no value of that type can mean that the call was skipped.")
                .contains("Return void, or Integer, which is null on a follower; or let the call fail there");
    }

    @Test
    void misuseOfLockedIsExplained(CapturedOutput output) {
        assertFails(LockedMisuse.class, "paxoslease.standalone=true");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("LockedJob.run() has no name and no key.")
                .contains("Name the lock, or give the key, as @Locked(name = \"orders\", key = \"#order.id\").");
    }

    @Test
    void switchingOffWithOnLeaderIsExplained(CapturedOutput output) {
        assertFails(Misuse.class, "paxoslease.enabled=false");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("would run on every node: leader election is off")
                .contains("Set paxoslease.enabled=true");
    }

    @Test
    void aWrongPropertyIsExplained(CapturedOutput output) {
        assertFails(App.class, "paxoslease.standalone=true", "paxoslease.lease-time=10ms");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Invalid value '10ms' for configuration property 'paxoslease.lease-time'")
                .contains("Must be at least 100 ms");
    }

    @Test
    void missingPeersAreExplained(CapturedOutput output) {
        assertFails(App.class);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The configuration property 'paxoslease.peers' is missing.")
                .contains("List every instance of this application")
                .contains("io.paxoslease:paxoslease-spring-boot-test in test scope")
                .contains("'paxoslease.standalone=true' makes this instance a cell of its own");
    }

    @Test
    void peersThatAreNoListAreExplained(CapturedOutput output) {
        assertFails(App.class, "paxoslease.node-id=a", "paxoslease.peers=10.0.0.1:7400,10.0.0.2:7400");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("paxoslease.peers")
                .contains("The peers must be a list such as 'a=10.0.0.1:7400,b=10.0.0.2:7400', each once");
    }

    @Test
    void anApplicationsNameThatNamesNoCellIsExplained(CapturedOutput output) {
        assertFails(
                App.class, "paxoslease.node-id=a", "paxoslease.peers.a=127.0.0.1:1", "spring.application.name=my shop");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Invalid value 'my shop' for configuration property 'spring.application.name'")
                .contains(
                        "Is the name of the cell by default, which must be at most 128 bytes of UTF-8 without white space")
                .contains("set 'paxoslease.cell' to such a name, the same on every instance");
    }

    @Test
    void aNodeWithoutANameIsExplained(CapturedOutput output) {
        assertFails(
                App.class,
                "HOSTNAME=web-7.example.org",
                "paxoslease.peers.a=127.0.0.1:1",
                "paxoslease.peers.b=127.0.0.1:2");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("configuration property 'paxoslease.node-id'")
                .contains(
                        "Set it to this node's id, which is one of [a, b] and another on every node (by default it is the host's name, which is [");
    }

    @Test
    void previousPeersWithoutAGenerationAreExplained(CapturedOutput output) {
        assertFails(
                App.class,
                "paxoslease.node-id=a",
                "paxoslease.peers.a=127.0.0.1:1",
                "paxoslease.peers.d=127.0.0.1:4",
                "paxoslease.previous-peers.a=127.0.0.1:1",
                "paxoslease.previous-peers.b=127.0.0.1:2");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("for configuration property 'paxoslease.previous-peers'")
                .contains("set the generation to one more than the cell runs")
                .contains("or leave paxoslease.previous-peers out");
    }

    @Test
    void aNodeThatIsNoPeerIsExplained(CapturedOutput output) {
        assertFails(
                App.class, "paxoslease.node-id=c", "paxoslease.peers.a=127.0.0.1:1", "paxoslease.peers.b=127.0.0.1:2");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("configuration property 'paxoslease.peers'")
                .contains("Does not list this node, 'c'; list every member of the cell including this one");
    }

    @Test
    void anSslBundleThatDoesNotExistIsExplained(CapturedOutput output) {
        assertFails(
                App.class,
                "paxoslease.node-id=a",
                "paxoslease.peers.a=127.0.0.1:1",
                "paxoslease.peers.b=127.0.0.1:2",
                "paxoslease.ssl.bundle=cell");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Invalid value 'cell' for configuration property 'paxoslease.ssl.bundle'")
                .contains("There is no SSL bundle of that name. Define it under 'spring.ssl.bundle.pem.cell'");
    }

    @Test
    void aMisspeltPropertyIsExplained(CapturedOutput output) {
        assertFails(App.class, "paxoslease.standalone=true", "paxoslease.lese-time=3s");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("paxoslease.lese-time")
                .contains("There is no such property");
    }

    @Test
    void aLeaseTimeAboveTheMaximumIsExplained(CapturedOutput output) {
        assertFails(
                App.class, "paxoslease.standalone=true", "paxoslease.lease-time=10s", "paxoslease.max-lease-time=5s");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("configuration property 'paxoslease.lease-time'")
                .contains("Is above the maximum lease time, PT5S; lower the lease time, or raise the maximum");
    }

    @Test
    void aSecondProcessWithOneNodeIdIsExplained(CapturedOutput output) throws IOException {
        TestCell cell = new TestCell(3);
        int port;
        try (ServerSocket free = TestCell.freePort()) {
            port = free.getLocalPort();
        }
        try (var n1 = run(cell.propertiesOf("n1"));
                var n2 = run(cell.propertiesOf("n2"));
                var n3 = run(cell.propertiesOf("n3"))) {
            await().until(() -> List.of(n1, n2, n3).stream()
                    .allMatch(node ->
                            node.getBean(PaxosLease.class).monitor().status().reachable() == 3));
            List<String> properties = new ArrayList<>(List.of(cell.propertiesOf("n1")));
            properties.add("paxoslease.peers.n1=127.0.0.1:" + port);
            assertFails(App.class, properties.toArray(String[]::new));
        }
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Node 'n1' does not start: so many members refuse it that it could not reach a majority:")
                .contains("  - peer 'n2' refused this node: 'n1' is connected already, from ")
                .contains("give every process its own paxoslease.node-id, or stop the process that has this one.");
    }

    private static ConfigurableApplicationContext run(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    @Test
    void theActionIsNotRepeatedInTheDescription() {
        NodeStartException failure = new NodeStartException("It is broken.", "Repair it.", null);
        FailureAnalysis analysis = FailureAnalyses.of(failure);
        assertThat(List.of(analysis.getDescription(), String.valueOf(analysis.getAction())))
                .containsExactly("It is broken.", "Repair it.");
    }

    private static void assertFails(Class<?> app, String... properties) {
        SpringApplicationBuilder builder = new SpringApplicationBuilder(app)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(properties);
        assertThatThrownBy(builder::run).isInstanceOf(Exception.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Misuse {
        @Bean
        Job job() {
            return new Job();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class LockedMisuse {
        @Bean
        LockedJob job() {
            return new LockedJob();
        }
    }

    static class LockedJob {
        @Locked
        void run() {}
    }

    static class Job {
        @OnLeader
        int count() {
            return 1;
        }
    }
}
