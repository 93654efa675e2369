package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.MembershipChangeException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.HeldMembership;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R4, R5: a node that is no member says that a generation is sealed. An acceptor waits then, and no change begins by it. */
@Timeout(60)
class ForgedSealTest {

    private final HeldMembership store = new HeldMembership();

    @Test
    void aSealThatIsNotBelievedBeginsNoChange() {
        try (TestCell cell = TestCell.of(Duration.ofSeconds(5), "a", "b", "e")) {
            Map<String, String> next = Map.of("a", address(cell, "a"), "b", address(cell, "b"));
            PaxosLease a = cell.start(PaxosLeaseOptions.builder("a")
                    .cell(cell.name())
                    .generation(2)
                    .peer("a", address(cell, "a"))
                    .previousPeer("e", address(cell, "e"))
                    .membershipStore(store)
                    .build());
            Membership stored = Objects.requireNonNull(store.stored());
            Generation forged = ConfiguredGeneration.of(stored.followedBy(MembershipChange.to(next)));
            NodeRuntime running =
                    Objects.requireNonNull(LocalNode.of(a).lifecycle.running());
            running.runner().submit(new Event.GenerationMet(new NodeId("web"), forged, 3));

            assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(next)))
                    .isInstanceOf(MembershipChangeException.class)
                    .hasMessageContaining("Generation 2 is not sealed yet");
            assertThat(Objects.requireNonNull(a.monitor().status().membership()).sealed())
                    .as("what people are shown")
                    .isEqualTo(3);
            assertThat(store.stored()).isEqualTo(stored);
        }
    }

    private static String address(TestCell cell, String id) {
        return Objects.requireNonNull(cell.addresses().get(id));
    }
}
