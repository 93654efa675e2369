package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.election.RollingUpdate.Instance;
import io.paxoslease.election.RollingUpdate.Policy;
import io.paxoslease.election.RollingUpdate.Strategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often leadership moves in a rolling update, and what a bad new version can do. */
@Tag("slow")
@Timeout(240)
class RollingUpdateTest {

    /** In which order the old instances are replaced. */
    enum Order {
        OLDEST_FIRST,
        YOUNGEST_FIRST,
        RANDOM
    }

    private static int moves(Policy policy, Strategy strategy, int stepSeconds, Order order, int leader)
            throws InterruptedException {
        try (RollingUpdate update = new RollingUpdate(policy)) {
            List<Instance> old = new ArrayList<>(update.begin(leader));
            if (order == Order.YOUNGEST_FIRST) {
                Collections.reverse(old);
            } else if (order == Order.RANDOM) {
                Collections.shuffle(old, new Random(leader));
            }
            return update.replace(old, strategy, Duration.ofSeconds(stepSeconds));
        }
    }

    /** Whichever instance leads when it begins. */
    @ParameterizedTest
    @CsvSource({
        "SURGE, 4, OLDEST_FIRST",
        "SURGE, 4, YOUNGEST_FIRST",
        "SURGE, 4, RANDOM",
        "SURGE, 45, OLDEST_FIRST",
        "SURGE, 45, YOUNGEST_FIRST",
        "SURGE, 45, RANDOM",
        "SURGE, 75, OLDEST_FIRST",
        "SURGE, 75, YOUNGEST_FIRST",
        "SURGE, 75, RANDOM",
        "STOP_THEN_START, 4, OLDEST_FIRST",
        "STOP_THEN_START, 4, YOUNGEST_FIRST",
        "STOP_THEN_START, 4, RANDOM",
        "STOP_THEN_START, 45, OLDEST_FIRST",
        "STOP_THEN_START, 45, YOUNGEST_FIRST",
        "STOP_THEN_START, 45, RANDOM",
        "STOP_THEN_START, 75, OLDEST_FIRST",
        "STOP_THEN_START, 75, YOUNGEST_FIRST",
        "STOP_THEN_START, 75, RANDOM"
    })
    void leadershipMovesTwiceAtMost(Strategy strategy, int stepSeconds, Order order) throws InterruptedException {
        for (int leader : List.of(0, RollingUpdate.INSTANCES - 1)) {
            assertThat(moves(Policy.PRODUCTION, strategy, stepSeconds, order, leader))
                    .as("moves if the leader is old-%d", leader)
                    .isBetween(1, 2);
        }
    }

    /** What the test above would find without the rule. */
    @Test
    void theCandidateThatHasWaitedLongestIsTheNextToBeReplaced() throws InterruptedException {
        assertThat(moves(Policy.OLDEST, Strategy.SURGE, 75, Order.OLDEST_FIRST, 0))
                .isEqualTo(RollingUpdate.INSTANCES);
    }

    /** Three of ten are replaced by a version whose terms fail at once, each time the leader. */
    @Test
    void aBadVersionFailsOnceForEachStopAndAGoodInstanceLeadsAgain() throws InterruptedException {
        try (RollingUpdate update = new RollingUpdate(Policy.PRODUCTION)) {
            update.begin(0);
            List<String> leaders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                update.start("bad-" + i, true);
                update.pass(Duration.ofSeconds(70));
                update.stop(update.leading().get(0));
                leaders.add(update.latestLeader());
                while (update.latestLeader().startsWith("bad")) {
                    leaders.add(update.awaitLeader()); // also if the bad one still seems to lead
                }
                update.pass(Duration.ofSeconds(5));
            }
            leaders.addAll(update.newLeaders());
            assertThat(leaders).filteredOn(each -> each.startsWith("bad")).hasSize(3);

            update.pass(Duration.ofMinutes(10));
            assertThat(update.newLeaders()).as("leaders in ten quiet minutes").isEmpty();
            assertThat(update.leading()).hasSize(1).allMatch(each -> each.id().startsWith("old"));
        }
    }
}
