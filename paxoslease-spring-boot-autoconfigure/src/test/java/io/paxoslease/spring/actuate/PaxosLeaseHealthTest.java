package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Timeout(60)
class PaxosLeaseHealthTest {

    /** 1.22 times the default of the longest lease, and a little. */
    private static final Duration QUARANTINE = Duration.ofMillis(6_150);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private Health health(String node) {
        return new PaxosLeaseHealthIndicator(cell.node(node).monitor(), HealthStatuses.DEFAULT).health();
    }

    @Test
    void aHolderIsAsHealthyAsTheOthers() throws Exception {
        assertThat(cell.node("a").tryAcquire("role:x", AcquireOptions.renewing()))
                .isPresent();

        for (String node : new String[] {"a", "b"}) {
            Health health = health(node);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails().keySet()).containsExactly("node", "cell", "state", "reachable", "majority");
            assertThat(health.getDetails()).containsEntry("reachable", 3).containsEntry("majority", 2);
        }
    }

    @Test
    void aMissingPeerIsNamed() {
        cell.crash("c");

        Health health = health("a");
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(missing(health)).containsOnlyKeys("c");
        assertThat(missing(health).get("c")).contains("'c'");
    }

    @Test
    void withoutAMajorityItIsUnknownAndRecovers() {
        cell.disconnect("a");
        assertThat(health("a").getStatus()).isEqualTo(Status.UNKNOWN);
        assertThat(missing(health("a"))).containsOnlyKeys("b", "c");
        assertThat(health("b").getStatus()).isEqualTo(Status.UP);

        cell.reconnect("a");
        assertThat(health("a").getStatus()).isEqualTo(Status.UP);
        assertThat(health("a").getDetails()).doesNotContainKey("missing");
    }

    @Test
    void theStatusWithoutAMajorityIsAnotherOneBeforeTheFirst() {
        Status lost = new Status("LOST");
        Status starting = new Status("STARTING");
        PaxosLease node = cell.node("a");
        PaxosLeaseHealthIndicator indicator =
                new PaxosLeaseHealthIndicator(node.monitor(), new HealthStatuses(lost, starting));
        cell.disconnect("a");
        assertThat(indicator.health().getStatus()).isEqualTo(starting);
        cell.reconnect("a");
        assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
        cell.disconnect("a");
        assertThat(indicator.health().getStatus()).isEqualTo(lost);
        node.stop();
        node.start();
        cell.advance(QUARANTINE);
        assertThat(indicator.health().getStatus()).isEqualTo(starting);
    }

    @Test
    void theStatusesAreConfigured() {
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(PaxosLeaseHealthAutoConfiguration.class))
                .withBean(PaxosLease.class, () -> cell.node("a"), bean -> bean.setDestroyMethodName(""));
        cell.disconnect("a");
        runner.withPropertyValues("paxoslease.health.starting-status=out-of-service")
                .run(context -> assertThat(context.getBean(PaxosLeaseHealthIndicator.class)
                                .health()
                                .getStatus())
                        .isEqualTo(Status.OUT_OF_SERVICE));
        runner.withPropertyValues("paxoslease.health.no-quorum-status=not 200").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("paxoslease.health.no-quorum-status")
                .hasMessageContaining("OUT_OF_SERVICE"));
    }

    @Test
    void aNodeThatIsStoppedIsOutOfService() {
        cell.node("a").stop();

        assertThat(health("a").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    }

    /** With a majority or without: the quarantine ends by time alone, so it keeps no roll-out waiting for ever. */
    @Test
    void aMemberIsOutOfServiceUntilItVotes() {
        cell.crash("a");
        cell.restart("a");
        assertThat(health("a").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(String.valueOf(health("a").getDetails().get("quarantine")))
                .contains("does not vote yet, for another 61")
                .contains(" ms: it has just started");
        assertThat(health("b").getStatus()).isEqualTo(Status.UP);
        cell.disconnect("a");
        assertThat(health("a").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

        cell.advance(QUARANTINE);

        assertThat(health("a").getStatus()).isEqualTo(Status.UNKNOWN);
        cell.reconnect("a");
        assertThat(health("a").getStatus()).isEqualTo(Status.UP);
        assertThat(health("a").getDetails()).doesNotContainKey("quarantine");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> missing(Health health) {
        return (Map<String, String>) Objects.requireNonNull(health.getDetails().get("missing"));
    }
}
