package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients come and go, a million in a day, each with a name of its own, as where every job is a new container. By default a twentieth of the
 * day; {@code -Dclient.names=1000000} for all of it.
 */
@Tag("slow")
class ClientNamesTest {

    private static final int NAMES = Integer.getInteger("client.names", 50_000);
    private static final long BETWEEN_NANOS = Duration.ofDays(1).toNanos() / 1_000_000;
    private static final int AT_A_TIME = 40;
    private static final int A_ROUND = NAMES / 10;
    /** Of all three members. What is remembered of each name of a round would be more by itself. */
    private static final long MORE_BYTES = 200_000;

    private final CrowdCell cell = new CrowdCell();
    private final Queue<NodeId> present = new ArrayDeque<>();
    private int leaders;

    /** Each has a lease of its own name, every second wants the one role of all, and one in three ends without a release. */
    private void comeAndGo(int from, int to) {
        for (int i = from; i < to; i++) {
            NodeId id = new NodeId("job-" + i);
            cell.start(id);
            if (i % 2 == 0) {
                cell.acquire(id);
            }
            cell.acquire(id, "lease of " + id);
            present.add(id);
            if (present.size() > AT_A_TIME) {
                NodeId oldest = present.remove();
                cell.end(oldest, i % 3 > 0);
            }
            cell.pass(Duration.ofNanos(BETWEEN_NANOS));
        }
    }

    @Test
    void namesThatAreGoneLeaveTheMembersAsTheyWere() {
        cell.onGrant(id -> leaders++);
        comeAndGo(0, A_ROUND);
        long before = cell.bytesOfMembers();
        for (int from = A_ROUND; from < NAMES; from += A_ROUND) {
            comeAndGo(from, from + A_ROUND);
            assertThat(cell.bytesOfMembers())
                    .as("after %d names", from + A_ROUND)
                    .isLessThan(before + MORE_BYTES);
        }
        assertThat(leaders).as("the role went from one to the next").isGreaterThan(NAMES / 100);
    }
}
