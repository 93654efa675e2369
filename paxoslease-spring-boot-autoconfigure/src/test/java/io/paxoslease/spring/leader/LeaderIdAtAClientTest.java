package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.autoconfigure.TestCell;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A client has no records of leases that it does not ask for: it knows who leads from the watch alone. */
@Timeout(120)
class LeaderIdAtAClientTest {

    private final TestCell cell = new TestCell(1);

    private ApplicationContextRunner node(String id, String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
                .withPropertyValues(cell.propertiesOf(id))
                .withPropertyValues(properties);
    }

    @Test
    void aClientThatDoesNotContestTheRoleKnowsWhoLeads() {
        node("n1", "paxoslease.clients.max=1", "paxoslease.roles.billing.eligible=true")
                .run(leader -> node("client", "paxoslease.mode=client", "paxoslease.roles.billing.eligible=false")
                        .run(follower -> {
                            LeaderElections elections = follower.getBean(LeaderElections.class);
                            await().atMost(Duration.ofSeconds(60))
                                    .until(() -> elections.leaderId("billing").equals(Optional.of("n1")));
                            assertThat(follower.getBean(LeaderLocator.class).find("billing"))
                                    .hasValueSatisfying(
                                            found -> assertThat(found.nodeId()).isEqualTo("n1"));
                            assertThat(elections.isLeader("billing")).isFalse();
                        }));
    }
}
