package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Section 8, Q12: how many leases of one client the members keep. */
class ClientLimitTest {

    private static final long WALL = 1_700_000_000_000_000L;
    private static final Reading NOW = new Reading(new Moment(0), WALL);
    private static final NodeId MEMBER = new NodeId("a");
    private static final NodeId CLIENT = new NodeId("z");
    private static final Incarnation INCARNATION = new Incarnation(7, 7);

    private final Acceptor acceptor =
            TestAcceptors.acceptor(new Timing(Duration.ofMillis(1_000), 0.1), MEMBER::equals, null, NOW);

    private static Propose proposal(String resource, long counter, Incarnation incarnation) {
        return new Propose(resource, new Ballot(WALL + counter, incarnation), 300_000_000, 1, QueueMode.NONE, 0, 0);
    }

    private Reply proposes(NodeId from, String resource, long counter) {
        Incarnation incarnation = from.equals(CLIENT) ? INCARNATION : new Incarnation(8, 8);
        return Objects.requireNonNull(acceptor.propose(from, proposal(resource, counter, incarnation), NOW));
    }

    @Test
    void oneMoreThanTheLimitIsRefusedAndRenewalsAreNot() {
        for (int i = 0; i < RecordAdmission.MAX_OF_A_CLIENT; i++) {
            assertThat(proposes(CLIENT, "r" + i, 1)).isInstanceOf(Accepted.class);
        }
        assertThat(proposes(CLIENT, "more", 1))
                .isEqualTo(new Refused("more", new Ballot(WALL + 1, INCARNATION), 1, Refusal.TOO_MANY, 100_000));
        assertThat(proposes(CLIENT, "r5", 2)).as("a renewal").isInstanceOf(Accepted.class);
        assertThat(proposes(new NodeId("y"), "more", 1)).as("of another client").isInstanceOf(Accepted.class);
        acceptor.release(CLIENT, new Release("r5", INCARNATION, WALL + 2), NOW, (to, message) -> {});
        assertThat(proposes(CLIENT, "r5", 3)).isInstanceOf(Accepted.class);
    }

    @Test
    void ofAMemberThereIsNoLimit() {
        for (int i = 0; i <= RecordAdmission.MAX_OF_A_CLIENT; i++) {
            assertThat(proposes(MEMBER, "r" + i, 1)).isInstanceOf(Accepted.class);
        }
    }

    @Test
    void aRequestThatAMajorityRefusesIsDeniedAlsoIfItWouldWait() {
        ProtocolTestCell cell = new ProtocolTestCell(3, 1, Duration.ofMillis(1_000));
        NodeId d = cell.id(3);
        long request = cell.acquire(d, "r", 300, true);
        Propose asked = (Propose) cell.hold(message -> true).get(0).message();
        Refused refused = new Refused("r", asked.ballot(), asked.attempt(), Refusal.TOO_MANY, 100_000);
        cell.step(d, new Event.Received(cell.id(0), refused));
        assertThat(cell.all(d, Denied.class)).as("one alone decides nothing").isEmpty();
        cell.step(d, new Event.Received(cell.id(1), refused));
        assertThat(cell.all(d, Denied.class)).isEqualTo(List.of(new Denied(request, "r", Denial.TOO_MANY, null)));
        cell.deliverAll();
        cell.acquire(d, "r", 300, true);
        cell.deliverAll();
        assertThat(cell.all(d, Granted.class)).hasSize(1);
    }
}
