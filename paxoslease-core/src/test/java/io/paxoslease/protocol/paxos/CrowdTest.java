package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many clients that want one role. Section 8, Q6 and Q8. */
@Tag("slow")
class CrowdTest {

    private static final int CROWD = 10_000;
    private static final long MILLI = 1_000_000;

    private final CrowdCell cell = new CrowdCell();

    private List<NodeId> candidates(int count, Duration within) {
        List<NodeId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            NodeId id = new NodeId("c" + i);
            ids.add(id);
            cell.start(id);
            cell.at(within.toNanos() / count * i, () -> cell.acquire(id));
        }
        return ids;
    }

    private void waiting() {
        NodeId first = new NodeId("first");
        cell.start(first);
        cell.acquire(first);
        cell.pass(Duration.ofMillis(10));
        candidates(CROWD, Duration.ofSeconds(10));
        cell.pass(Duration.ofSeconds(60));
        assertThat(cell.leader()).isEqualTo(first);
    }

    @Test
    void oneOfTenThousandFollowsALeaderThatGivesUpAfterTwoWaysAndTwoHundredMessages() {
        waiting();
        long messages = cell.messages();
        long released = cell.nanos();
        cell.giveUp();
        cell.pass(Duration.ofMillis(50));
        assertThat(cell.leader()).isEqualTo(new NodeId("c0"));
        assertThat(cell.grantedAt() - released).isLessThan(3 * MILLI);
        assertThat(cell.messages() - messages).isLessThan(200);
    }

    @Test
    void oneOfTenThousandFollowsALeaderThatCrashedOneWayAfterItsLease() {
        waiting();
        cell.crashLeader();
        long end = cell.exclusionEnds();
        cell.pass(Duration.ofNanos(end - cell.nanos()));
        assertThat(cell.leader()).isNull();
        long messages = cell.messages();
        cell.pass(Duration.ofMillis(100));
        assertThat(cell.leader()).isEqualTo(new NodeId("c0"));
        assertThat(cell.grantedAt() - end).isLessThan(2 * MILLI);
        assertThat(cell.messages() - messages).isLessThan(200);
    }

    @Test
    void tenThousandThatWaitAskFiftyTimesASecond() {
        waiting();
        cell.pass(Duration.ofSeconds(240)); // all have asked again
        long proposals = cell.proposals();
        cell.pass(Duration.ofSeconds(100));
        assertThat(cell.proposals() - proposals)
                .as("to three members, and those sixteen that are queued")
                .isLessThan(3 * (55 * 100 + 16 * 100 / 6));
    }

    @Test
    void eachOfAThousandLeadsInTheOrderInWhichTheyCame() {
        List<NodeId> ids = candidates(1_000, Duration.ofSeconds(5));
        List<NodeId> leaders = new ArrayList<>();
        cell.onGrant(id -> {
            leaders.add(id);
            cell.at(cell.nanos() + 20 * MILLI, cell::giveUp);
        });
        cell.pass(Duration.ofSeconds(120));
        assertThat(new HashSet<>(leaders)).hasSameElementsAs(ids);
        assertThat(leaders).as("by their wishes' age").isEqualTo(ids);
    }
}
