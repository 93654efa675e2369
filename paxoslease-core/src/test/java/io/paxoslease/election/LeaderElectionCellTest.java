package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three nodes stand for one role. */
@Tag("slow")
@Tag("jdk")
class LeaderElectionCellTest {

    private static final Duration LEASE_TIME = Duration.ofMillis(1_500);

    private final BlockingQueue<String> history = new LinkedBlockingQueue<>();
    private final List<LeaderElection> elections = new ArrayList<>();
    private TestCell cell;

    @BeforeEach
    void start() {
        cell = TestCell.started(LEASE_TIME);
        for (String id : List.of("a", "b", "c")) {
            elections.add(LeaderElection.builder(cell.node(id), "x").build(new Historian(id)));
        }
        elections.forEach(LeaderElection::start); // when the list is complete: candidates read it
    }

    @AfterEach
    void stop() {
        elections.forEach(election -> election.stop(Duration.ofSeconds(1)));
        cell.close();
    }

    @Test
    void exactlyOneLeadsAndTheOthersKnowWho() throws InterruptedException {
        String leader = nextLeader();

        assertThat(elections.stream().filter(LeaderElection::isLeader)).hasSize(1);
        for (LeaderElection election : elections) {
            Eventually.until("the leader is known", () -> election.leaderId().equals(Optional.of(leader)));
        }
    }

    @Test
    void anotherLeadsOnlyAfterTheLastWasRevoked() throws InterruptedException {
        String first = nextLeader();
        of(first).resign();

        assertThat(next()).isEqualTo("revoked " + first);
        String second = nextLeader();
        assertThat(second).isNotEqualTo(first);
        of(second).resign();
        assertThat(next()).isEqualTo("revoked " + second);
        assertThat(nextLeader()).isNotEqualTo(second);
    }

    @Test
    void anotherLeadsWhenTheLeadersElectionStops() throws InterruptedException {
        String first = nextLeader();
        long start = System.nanoTime();
        assertThat(of(first).stop(Duration.ofSeconds(10))).isTrue();

        assertThat(next()).isEqualTo("revoked " + first);
        assertThat(nextLeader()).isNotEqualTo(first);
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void anotherLeadsWhenTheLeadersNodeStops() throws InterruptedException {
        String first = nextLeader();
        cell.node(first).stop();

        assertThat(List.of(next(), next()))
                .contains("revoked " + first)
                .anyMatch(event -> event.startsWith("granted") && !event.endsWith(first));
    }

    /** The others are gone, so the lease cannot be renewed: the answer turns false by itself, and then the call comes. */
    @Test
    void leadershipEndsTheMomentTheLeaseRunsOut() throws InterruptedException {
        String first = nextLeader();
        Leadership leadership = of(first).leadership().orElseThrow();
        for (String id : List.of("a", "b", "c")) {
            if (!id.equals(first)) {
                cell.node(id).stop();
            }
        }
        assertThat(next()).isEqualTo("revoked " + first);
        assertThat(leadership.isLeader()).isFalse();
        assertThat(leadership.remaining()).isZero();
        assertThat(of(first).isLeader()).isFalse();
        assertThat(history).isEmpty();
    }

    private LeaderElection of(String id) {
        return elections.get(List.of("a", "b", "c").indexOf(id));
    }

    private String next() throws InterruptedException {
        return String.valueOf(history.poll(10, TimeUnit.SECONDS));
    }

    private String nextLeader() throws InterruptedException {
        String event = next();
        assertThat(event).startsWith("granted ");
        return event.substring("granted ".length());
    }

    private final class Historian implements LeaderCandidate {

        private final String id;

        Historian(String id) {
            this.id = id;
        }

        @Override
        public void onGranted(Leadership leadership) {
            long leaders = elections.stream().filter(LeaderElection::isLeader).count();
            history.add(leaders <= 1 ? "granted " + id : leaders + " leaders at once");
        }

        @Override
        public void onRevoked(Leadership leadership) {
            history.add(leadership.isLeader() ? "still leading " + id : "revoked " + id);
        }
    }
}
