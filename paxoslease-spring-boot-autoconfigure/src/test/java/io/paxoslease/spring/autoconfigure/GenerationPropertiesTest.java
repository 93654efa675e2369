package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.GenerationOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The properties of a cell that changes its members or its times. */
class GenerationPropertiesTest {

    private final TestCell cell = new TestCell(2);
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseAutoConfiguration.class))
            .withPropertyValues(cell.propertiesOf("n1"));

    @Test
    void everyPropertyReachesTheNode() {
        runner.withPropertyValues(
                        "paxoslease.generation=3",
                        "paxoslease.previous-peers.n1=" + cell.peers().get("n1"),
                        "paxoslease.previous-peers.n3=127.0.0.1:1",
                        "paxoslease.previous-max-lease-time=4s",
                        "paxoslease.previous-clock-drift=0.02")
                .run(context -> {
                    PaxosLeaseOptions options =
                            context.getBean(PaxosLease.class).monitor().options();
                    GenerationOptions generation = options.generation();
                    assertThat(generation.number()).isEqualTo(3);
                    assertThat(generation.previous())
                            .isNotNull()
                            .returns(Duration.ofSeconds(4), GenerationOptions.Previous::maxLeaseTime)
                            .returns(0.02, GenerationOptions.Previous::clockDrift)
                            .satisfies(previous -> assertThat(previous.peers()).containsOnlyKeys("n1", "n3"));
                    assertThat(options.peers()).containsOnlyKeys("n1", "n2");
                    assertThat(options.allPeers())
                            .containsEntry("n3", InetSocketAddress.createUnresolved("127.0.0.1", 1));
                    assertThat(context.getBean(PaxosLease.class)
                                    .monitor()
                                    .status()
                                    .membership())
                            .isNotNull()
                            .returns(3, membership -> membership.configured());
                });
    }

    @Test
    void theDefaultIsTheFirstGeneration() {
        runner.run(context -> assertThat(
                        context.getBean(PaxosLease.class).monitor().options().generation())
                .isEqualTo(GenerationOptions.first()));
    }

    @Test
    void aNodeOfThePreviousPeersOnlyStarts() {
        runner.withPropertyValues(
                        "paxoslease.generation=2",
                        "paxoslease.node-id=n3",
                        "paxoslease.previous-peers.n1=" + cell.peers().get("n1"),
                        "paxoslease.previous-peers.n3="
                                + new TestCell(1).peers().get("n1"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aStandaloneNodeIgnoresAChange() {
        runner.withPropertyValues(
                        "paxoslease.standalone=true",
                        "paxoslease.generation=2",
                        "paxoslease.previous-peers.n1=127.0.0.1:1")
                .run(context -> assertThat(context.getBean(PaxosLease.class)
                                .monitor()
                                .options()
                                .isCellOfOne())
                        .isTrue());
    }

    @Test
    void whatDoesNotGoTogetherIsReportedByProperty() {
        assertRefused(
                "paxoslease.previous-peers",
                "Are the members before a change, and generation 1 follows none",
                "paxoslease.previous-peers.n1=127.0.0.1:1");
        assertRefused("paxoslease.generation", "Must be from 1", "paxoslease.generation=0");
        assertRefused(
                "paxoslease.previous-max-lease-time",
                "list those too, as paxoslease.previous-peers",
                "paxoslease.generation=2",
                "paxoslease.previous-max-lease-time=4s");
        assertRefused(
                "paxoslease.previous-clock-drift",
                "Must be from 0.0001 to 0.5",
                "paxoslease.generation=2",
                "paxoslease.previous-peers.n1=127.0.0.1:1",
                "paxoslease.previous-clock-drift=1");
        assertRefused(
                "paxoslease.generation",
                "stop every node to change the configuration",
                "paxoslease.generation=2",
                "paxoslease.algorithm=flease");
    }

    private void assertRefused(String property, String reason, String... settings) {
        runner.withPropertyValues(settings).run(context -> assertThat(context.getStartupFailure())
                .hasStackTraceContaining(property)
                .hasStackTraceContaining(reason));
    }
}
