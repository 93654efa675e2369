package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.Cell.Leader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two of five may be gone; a third is one too many. Restarted instances are silent long enough here to be seen silent. */
@RequiresDocker
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class FiveNodesIT {

    /** Instances start and restart beside the leader, which may get no processor for seconds: it is to lead on. */
    private static final Duration LEASE = Duration.ofSeconds(8);

    private static Cell cell;

    @BeforeAll
    static void startCell() {
        // The quarantine counts from the bind of the port, and a busy machine may need ten seconds until the web server
        // answers.
        cell = new Cell(5, "--paxoslease.lease-time=8s", "--paxoslease.max-lease-time=12s").start();
    }

    @AfterAll
    static void removeCell() {
        if (cell != null) {
            cell.close();
        }
    }

    @AfterEach
    void nobodyEverLedBesideAnother() {
        assertThat(cell.history().violations()).isEmpty();
    }

    @Test
    void aRestartedInstanceIsQuarantinedBeforeItServes() {
        Leader leader = cell.awaitAgreement();
        Member follower = cell.without(leader.member()).get(0);

        follower.kill();
        follower.restart();
        List<String> states = new ArrayList<>();
        Wait.until("it serves", () -> {
            String state = follower.state();
            if (!state.isEmpty() && !states.contains(state)) {
                states.add(state);
            }
            return state.equals("SERVING");
        });

        assertThat(states).containsExactly("QUARANTINED", "SERVING");
        assertThat(cell.awaitAgreement()).isEqualTo(leader);
    }

    @Test
    void aMajorityLeadsWithoutTheMinorityAndNobodyLeadsWithoutAMajority() {
        Leader first = cell.awaitAgreement();
        Member cut = cell.without(first.member()).get(0);
        first.member().disconnect();
        cut.disconnect();
        Leader second = cell.awaitLeader(cell.without(first.member(), cut));
        assertThat(second.token()).isGreaterThan(first.token());

        second.member().disconnect();
        long end = cell.history().end(second.token());
        List<Member> rest = cell.without(first.member(), cut, second.member());
        Wait.until(
                "the rest has waited for twice the lease time",
                () -> now(rest) > end + LEASE.multipliedBy(2).toNanos());
        History alone = cell.history();
        long over = alone.end(second.token()) + 1;
        assertThat(alone.between(over, Long.MAX_VALUE)).isEmpty();
        assertThat(Duration.ofNanos(over - end)).isLessThan(LEASE);

        first.member().reconnect();
        cut.reconnect();
        second.member().reconnect();
        assertThat(cell.awaitAgreement().token()).isGreaterThan(second.token());
    }

    private static long now(List<Member> members) {
        return cell.history().lastSample(members.get(0).name());
    }
}
