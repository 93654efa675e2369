package io.paxoslease.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactory;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What needs no Docker engine; the cluster tests start such a container. */
class PaxosLeaseContainerTest {

    @Test
    void theMemberIsToldItsCellAndHowLongALeaseMayBe() {
        try (PaxosLeaseContainer container =
                new PaxosLeaseContainer("paxoslease-node:7").withCell("shop").withMaxLeaseTime(Duration.ofSeconds(1))) {
            assertThat(container.getCell()).isEqualTo("shop");
            assertThat(container.getEnvMap())
                    .containsEntry("PAXOSLEASE_CELL", "shop")
                    .containsEntry("PAXOSLEASE_LEASE_TIME", "1000ms")
                    .containsEntry("PAXOSLEASE_MAX_LEASE_TIME", "1000ms")
                    .containsEntry("PAXOSLEASE_NODE_ID", "member");
        }
    }

    @Test
    void theCellIsThatOfTheNodeByDefault() {
        try (PaxosLeaseContainer container = new PaxosLeaseContainer("paxoslease-node")) {
            assertThat(container.getCell())
                    .isEqualTo("paxoslease")
                    .isEqualTo(container.getEnvMap().get("PAXOSLEASE_CELL"));
        }
    }

    @Test
    void aLeaseThatTheMemberWouldRefuseIsRefusedHere() {
        try (PaxosLeaseContainer container = new PaxosLeaseContainer("paxoslease-node")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> container.withMaxLeaseTime(Duration.ofMillis(99)))
                    .withMessageContaining("100 ms or more, not PT0.099S");
        }
    }

    @Test
    void beforeTheStartThereIsNoContactPoint() {
        try (PaxosLeaseContainer container = new PaxosLeaseContainer("paxoslease-node")) {
            assertThatIllegalStateException()
                    .isThrownBy(container::getContactPoint)
                    .withMessageContaining("call start() first");
        }
    }

    @Test
    void springBootFindsTheFactory() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
                        .load(
                                ConnectionDetailsFactory.class,
                                SpringFactoriesLoader.FailureHandler.logging(LogFactory.getLog(getClass()))))
                .hasAtLeastOneElementOfType(PaxosLeaseContainerConnectionDetailsFactory.class);
    }
}
