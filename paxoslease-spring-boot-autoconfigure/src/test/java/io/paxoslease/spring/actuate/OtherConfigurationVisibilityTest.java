package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.actuate.LeasesDescriptor.NodeDescriptor;
import io.paxoslease.spring.actuate.LeasesDescriptor.QuarantineDescriptor;
import io.paxoslease.spring.autoconfigure.TestCell;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Two of three members start with different configurations: neither is alone in the right. */
class OtherConfigurationVisibilityTest {

    private final TestCell cell = new TestCell(3);

    private PaxosLease started(String node, Duration maxLeaseTime) {
        PaxosLease started = PaxosLease.create(PaxosLeaseOptions.builder(node)
                .peers(cell.peers())
                .cell("others")
                .leaseTime(Duration.ofSeconds(1))
                .maxLeaseTime(maxLeaseTime)
                .build());
        started.start();
        return started;
    }

    @Test
    void whoIsSilentBesideAnotherConfigurationSaysSo() {
        try (PaxosLease node = started("n1", Duration.ofSeconds(1));
                PaxosLease other = started("n2", Duration.ofSeconds(2))) {
            await().until(() -> node.monitor().status().otherConfiguration() != null);

            Health health = Objects.requireNonNull(
                    new PaxosLeaseHealthIndicator(node.monitor(), HealthStatuses.DEFAULT).health());
            assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
            assertThat(String.valueOf(health.getDetails().get("otherConfiguration")))
                    .contains("the maximum lease times differ, PT2S at 'n2' but PT1S at 'n1'")
                    .contains("[n2, n3], which are not known to run this one, could be a majority")
                    .contains("Configure the same on every node");
            NodeDescriptor shown = LeasesEndpoint.of(node).leases(null, null).node();
            assertThat(shown.otherConfiguration()).contains("the maximum lease times differ");
            assertThat(shown.quarantine())
                    .isNotNull()
                    .returns(NodeStatus.Quarantine.Reason.OTHER_CONFIGURATION, QuarantineDescriptor::reason)
                    .returns(null, QuarantineDescriptor::until);
            assertThat(other.monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
        }
    }
}
