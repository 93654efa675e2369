package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.NodeAdmin;
import io.paxoslease.RevocationReason;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What metrics and tracing are told. */
@Timeout(60)
class NodeObserverTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final Notes notes = new Notes();

    @AfterEach
    void close() {
        cell.close();
    }

    @Test
    void grantsAndLossesAreTold() throws Exception {
        cell.node("a").monitor().addObserver(notes);
        Futures.get(cell.node("a").acquire("x", AcquireOptions.fixed(Duration.ofSeconds(2))));
        cell.advance(Duration.ofSeconds(3));

        assertThat(notes.lines).containsExactly("agreed x", "acquired x", "lost x EXPIRED");
        assertThat(notes.times).containsOnlyKeys("agreed x", "acquired x");
        assertThat(notes.times.values()).allMatch(time -> time.toMillis() == 0);
    }

    @Test
    void theTimeThatOthersHeldItCountsForTheRequestAndNotForTheRound() throws Exception {
        cell.node("a").monitor().addObserver(notes);
        Futures.get(cell.node("b").acquire("x", AcquireOptions.fixed(Duration.ofSeconds(2))));
        var waiting = cell.node("a").acquire("x", RENEWING);
        cell.advance(Duration.ofSeconds(3));

        assertThat(Futures.get(waiting).isHeld()).isTrue();
        assertThat(notes.times.get("acquired x")).isBetween(Duration.ofMillis(1_999), Duration.ofSeconds(3));
        assertThat(notes.times.get("agreed x")).isLessThan(Duration.ofMillis(1));
    }

    @Test
    void aRequestThatIsDeniedIsTold() throws Exception {
        Futures.get(cell.node("b").acquire("x", RENEWING));
        cell.node("a").monitor().addObserver(notes);
        var waiting = cell.node("a")
                .acquire(
                        "x",
                        RENEWING.toBuilder().maxWait(Duration.ofMillis(700)).build());
        cell.advance(Duration.ofSeconds(1));

        assertThat(waiting).isCompletedExceptionally();
        assertThat(notes.lines).containsExactly("not acquired x");
        assertThat(notes.times.get("not acquired x")).isBetween(Duration.ofMillis(700), Duration.ofMillis(701));
    }

    @Test
    void renewalsAreTold() throws Exception {
        Futures.get(cell.node("a").acquire("x", RENEWING));
        cell.node("a").monitor().addObserver(notes);
        cell.advance(Duration.ofSeconds(10));

        assertThat(notes.lines).hasSizeGreaterThan(5).containsOnly("renewed x");
    }

    /** Whoever counts rounds is told of each once, whoever counts leases of each lease. */
    @Test
    void aRoundForManyLeasesIsToldAtOnce() throws Exception {
        Futures.get(cell.node("a").acquire("x", RENEWING));
        Futures.get(cell.node("a").acquire("y", RENEWING));
        List<String> rounds = new ArrayList<>();
        cell.node("a").monitor().addObserver(notes);
        cell.node("a").monitor().addObserver(new NodeObserver() {
            @Override
            public void agreedTogether(List<String> resources, Duration took) {
                rounds.add(resources + " " + took.equals(notes.times.get("renewed " + resources.get(1))));
            }
        });
        cell.advance(Duration.ofSeconds(10));

        assertThat(rounds).hasSizeGreaterThan(5).containsOnly("[x, y] true");
        assertThat(notes.lines).hasSize(2 * rounds.size()).containsOnly("renewed x", "renewed y");
    }

    @Test
    void rolesAreTold() throws Exception {
        TestCandidate candidate = new TestCandidate();
        LeaderElection election = LeaderElection.builder(cell.node("a"), "x").build(candidate);
        election.start();
        candidate.awaitGranted();
        cell.node("a").monitor().addObserver(notes);
        assertThat(LeaderElection.on(cell.node("a"))).containsExactly(election);
        assertThat(notes.lines).containsExactly("stands for x");

        election.stop(Duration.ofSeconds(20));
        assertThat(LeaderElection.on(cell.node("a"))).isEmpty();
        assertThat(notes.lines).containsExactly("stands for x", "x revoked: STOPPED", "in REVOKED x", "out REVOKED x");

        notes.lines.clear();
        election.start();
        candidate.awaitGranted();
        election.resign();
        election.stop(Duration.ofSeconds(20));
        assertThat(notes.lines)
                .startsWith("stands for x", "agreed role:x", "acquired role:x", "granted x", "in GRANTED x")
                .contains("x revoked: YIELDED");

        notes.lines.clear();
        election.start();
        candidate.awaitGranted();
        election.stopUnhealthy(Duration.ofSeconds(20));
        assertThat(notes.lines).contains("x revoked: UNHEALTHY");
    }

    @Test
    void callbacksRunInsideOfEveryObserver() throws Exception {
        Notes second = new Notes();
        cell.node("a").monitor().addObserver(notes);
        cell.node("a").monitor().addObserver(second);
        Lease lease = Futures.get(cell.node("a").acquire("x", RENEWING));
        lease.onLost((same, reason) -> {
            assertThat(notes.lines).contains("in LOST x").doesNotContain("out LOST x");
            assertThat(second.lines).contains("in LOST x").doesNotContain("out LOST x");
            notes.lines.add("ran");
        });
        assertThat(cell.node("a").admin().giveUp("x")).isEqualTo(NodeAdmin.GivenUp.RELEASED);
        cell.advance(Duration.ZERO);

        assertThat(notes.lines).containsSubsequence("in LOST x", "ran", "out LOST x");
        assertThat(second.lines).containsSubsequence("in LOST x", "out LOST x");
    }

    @Test
    void anObserverThatThrowsChangesNothing() throws Exception {
        NodeObserver broken = new NodeObserver() {
            @Override
            public void acquired(String resource, Duration waited) {
                throw new IllegalStateException("broken");
            }
        };
        try (LogCapture log = LogCapture.ofNode()) {
            cell.node("a").monitor().addObserver(broken);
            cell.node("a").monitor().addObserver(notes);
            Lease lease = Futures.get(cell.node("a").acquire("x", RENEWING));
            cell.advance(Duration.ofSeconds(10));

            assertThat(lease.isHeld()).isTrue();
            assertThat(notes.lines).startsWith("agreed x", "acquired x");
            assertThat(log.warnings("failed")).hasSize(1);
        }
    }

    /** As a library does that is not there in the version that was compiled against. */
    @Test
    void anObserverThatThrowsAnErrorChangesNothing() throws Exception {
        cell.node("a").monitor().addObserver(new NodeObserver() {
            @Override
            public void acquired(String resource, Duration waited) {
                throw new NoSuchMethodError("broken");
            }
        });
        Lease lease = Futures.get(cell.node("a").acquire("x", RENEWING));
        cell.advance(Duration.ofSeconds(10));

        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void aCallbackIsRunOnceWhateverObserversDo() throws Exception {
        cell.node("a").monitor().addObserver(new NodeObserver() {
            @Override
            public void around(Kind kind, String name, Callback callback) {
                throw new IllegalStateException("broken before");
            }
        });
        cell.node("a").monitor().addObserver(new NodeObserver() {
            @Override
            public void around(Kind kind, String name, Callback callback) throws InterruptedException {
                callback.run();
                throw new IllegalStateException("broken after");
            }
        });
        cell.node("a").monitor().addObserver(notes);
        Lease lease = Futures.get(cell.node("a").acquire("x", RENEWING));
        lease.onLost((same, reason) -> notes.lines.add("ran"));
        cell.node("a").admin().giveUp("x");
        cell.advance(Duration.ZERO);

        assertThat(notes.lines)
                .containsSubsequence("in LOST x", "ran", "out LOST x")
                .containsOnlyOnce("ran");
    }

    @Test
    void whatACallbackThrowsIsThrownAlsoWhenAnObserverKeepsIt() {
        Observers observers = new Observers();
        observers.add(new NodeObserver() {
            @Override
            public void around(Kind kind, String name, Callback callback) throws InterruptedException {
                try {
                    callback.run();
                } catch (IllegalStateException kept) {
                    notes.lines.add("kept");
                }
            }
        });
        IllegalStateException failure = new IllegalStateException("the callback's");

        assertThatThrownBy(() -> observers.around(NodeObserver.Kind.GRANTED, "x", () -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(notes.lines).containsExactly("kept");
    }

    @Test
    void whoIsRemovedIsToldNoMore() throws Exception {
        cell.node("a").monitor().addObserver(notes);
        cell.node("a").monitor().removeObserver(notes);
        Futures.get(cell.node("a").acquire("x", RENEWING));

        assertThat(notes.lines).isEmpty();
    }

    @Test
    void peersAreToldAtEachStartAndToAnObserverThatIsAdded() {
        List<String> toldAtStart = new CopyOnWriteArrayList<>();
        List<String> toldWhenAdded = new CopyOnWriteArrayList<>();
        NodeObserver early = peers(toldAtStart);
        cell.crash("a");
        cell.node("a").monitor().addObserver(early);
        assertThat(toldAtStart).as("it does not run").isEmpty();
        cell.restart("a");
        assertThat(toldAtStart).containsExactly("b", "c");
        cell.node("a").monitor().addObserver(peers(toldWhenAdded));
        assertThat(toldWhenAdded).containsExactly("b", "c");

        cell.node("a").monitor().removeObserver(early);
        cell.crash("a");
        cell.restart("a");
        assertThat(toldAtStart).containsExactly("b", "c");
        assertThat(toldWhenAdded).containsExactly("b", "c", "b", "c");
    }

    private static NodeObserver peers(List<String> told) {
        return new NodeObserver() {
            @Override
            public void peerAdded(String peer) {
                told.add(peer);
            }
        };
    }

    private static final class Notes implements NodeObserver {

        final List<String> lines = new CopyOnWriteArrayList<>();
        final Map<String, Duration> times = new ConcurrentHashMap<>();

        private void note(String line, Duration time) {
            lines.add(line);
            times.put(line, time);
        }

        @Override
        public void acquired(String resource, Duration waited) {
            note("acquired " + resource, waited);
        }

        @Override
        public void notAcquired(String resource, Duration waited) {
            note("not acquired " + resource, waited);
        }

        @Override
        public void agreed(String resource, boolean renewal, Duration took) {
            note((renewal ? "renewed " : "agreed ") + resource, took);
        }

        @Override
        public void lost(String resource, LossReason reason) {
            lines.add("lost " + resource + " " + reason);
        }

        @Override
        public void candidateAdded(String role) {
            lines.add("stands for " + role);
        }

        @Override
        public void granted(String role) {
            lines.add("granted " + role);
        }

        @Override
        public void revoked(String role, RevocationReason reason) {
            lines.add(role + " revoked: " + reason);
        }

        @Override
        public void around(Kind kind, String name, Callback callback) throws InterruptedException {
            lines.add("in " + kind + " " + name);
            callback.run();
            lines.add("out " + kind + " " + name);
        }
    }
}
