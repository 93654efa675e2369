package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.testing.InMemoryCell;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

@Timeout(60)
class PaxosLeaseHealthTest {

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private Health health(String node) {
        return new PaxosLeaseHealthIndicator(cell.node(node)).health();
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
    void withoutAMajorityItIsOutOfServiceAndRecovers() {
        cell.disconnect("a");
        assertThat(health("a").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(missing(health("a"))).containsOnlyKeys("b", "c");
        assertThat(health("b").getStatus()).isEqualTo(Status.UP);

        cell.reconnect("a");
        assertThat(health("a").getStatus()).isEqualTo(Status.UP);
        assertThat(health("a").getDetails()).doesNotContainKey("missing");
    }

    @Test
    void aNodeThatIsStoppedIsOutOfService() {
        cell.node("a").stop();

        assertThat(health("a").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> missing(Health health) {
        return (Map<String, String>) Objects.requireNonNull(health.getDetails().get("missing"));
    }
}
