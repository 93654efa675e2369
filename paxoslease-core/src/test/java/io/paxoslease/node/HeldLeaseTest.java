package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.LossReason;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A tenure as its user sees it, moved by hand instead of by the node's thread. */
class HeldLeaseTest {

    private static final long SECOND = 1_000_000_000;

    private final List<String> told = new ArrayList<>();
    private NodeRuntime node;
    private Reading now;
    private HeldLease lease;

    @BeforeEach
    void start() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("solo").build();
        node = StartedNodes.start(options, StartedNodes.environment(options));
        now = node.clock().read();
        lease = new HeldLease(node, "r", 42, now.plusNanos(60 * SECOND));
    }

    @AfterEach
    void stop() {
        node.stop();
    }

    @Test
    void aLeaseIsHeldUntilItsDeadline() {
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
        assertThat(new HeldLease(node, "r", 1, now).isHeld()).isFalse();
        assertThat(new HeldLease(node, "r", 1, now.plusNanos(-SECOND)).remaining())
                .isZero();
    }

    @Test
    void eitherClockEndsALease() {
        Reading later = now.plusNanos(60 * SECOND);

        assertThat(new HeldLease(node, "r", 1, new Reading(later.moment(), now.wallMicros())).isHeld())
                .isFalse();
        assertThat(new HeldLease(node, "r", 1, new Reading(now.moment(), later.wallMicros())).isHeld())
                .isFalse();
    }

    @Test
    void aMillisecondBeforeItsDeadlineALeaseIsHeldNoMore() {
        HandClock clock = new HandClock();
        HandEnvironment environment = new HandEnvironment(clock);
        NodeRuntime still = StartedNodes.start(HandEnvironment.OPTIONS, environment);
        long margin = 1_000_000;
        // The wall clock's deadline is later, so that it is the other that decides.
        Reading at = clock.read();
        assertThat(new HeldLease(still, "r", 1, new Reading(at.moment().plusNanos(margin + 1), at.wallMicros() + 9_000))
                        .isHeld())
                .isTrue();
        assertThat(new HeldLease(still, "r", 1, new Reading(at.moment().plusNanos(margin), at.wallMicros() + 9_000))
                        .isHeld())
                .isFalse();
        environment.close();
    }

    @Test
    void anExtensionMovesTheDeadline() {
        lease.extend(now.plusNanos(600 * SECOND));

        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(60));
    }

    @Test
    void leasesThatFollowAnEndMoveWithIt() {
        HeldLease other = new HeldLease(node, "s", 43, now.plusNanos(60 * SECOND));
        LeaseEnd end = LeaseEnd.of(7, now.plusNanos(600 * SECOND));
        lease.follow(end);
        other.follow(end);
        assertThat(end.moves(now.plusNanos(6_000 * SECOND))).isTrue();

        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(5_000));
        assertThat(other.remaining()).isGreaterThan(Duration.ofSeconds(5_000));
    }

    @Test
    void whatIsSaidOfOneLeaseMovesNoOther() {
        HeldLease other = new HeldLease(node, "s", 43, now.plusNanos(60 * SECOND));
        LeaseEnd end = LeaseEnd.of(7, now.plusNanos(60 * SECOND));
        lease.follow(end);
        other.follow(end);
        lease.extend(now.plusNanos(600 * SECOND));
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(500));
        assertThat(other.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(60));

        end.moves(now.plusNanos(6_000 * SECOND));
        assertThat(lease.remaining()).as("it follows no more").isLessThanOrEqualTo(Duration.ofSeconds(600));
    }

    @Test
    void aLeaseThatFollowsIsStillReleasedLostAndSuspectByItself() {
        LeaseEnd end = LeaseEnd.of(7, now.plusNanos(60 * SECOND));
        HeldLease released = new HeldLease(node, "s", 43, now.plusNanos(60 * SECOND));
        HeldLease suspect = new HeldLease(node, "t", 44, now.plusNanos(60 * SECOND));
        List.of(lease, released, suspect).forEach(each -> each.follow(end));
        lease.lose(LossReason.EXPIRED);
        released.release();
        suspect.suspect();
        end.moves(now.plusNanos(600 * SECOND));
        assertThat(List.of(lease, released, suspect)).noneMatch(HeldLease::isHeld);

        List.of(lease, released, suspect).forEach(each -> each.follow(end));
        assertThat(suspect.isHeld()).as("extended, so no more suspect").isTrue();
        assertThat(List.of(lease, released)).noneMatch(HeldLease::isHeld);
    }

    @Test
    void anEndThatWouldComeEarlierByOneClockIsNotMoved() {
        LeaseEnd end = LeaseEnd.of(7, now.plusNanos(60 * SECOND));
        Reading later = now.plusNanos(600 * SECOND);

        assertThat(end.moves(new Reading(later.moment(), now.wallMicros()))).isFalse();
        assertThat(end.moves(new Reading(now.moment(), later.wallMicros()))).isFalse();
        lease.follow(end);
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
    }

    @Test
    void aSuspectLeaseIsNotHeldUntilItIsExtended() {
        lease.suspect();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();

        lease.extend(now.plusNanos(60 * SECOND));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void nothingBringsALeaseBackThatIsOver() {
        HeldLease released = new HeldLease(node, "r", 1, now.plusNanos(60 * SECOND));
        released.release();
        lease.lose(LossReason.EXPIRED);
        for (HeldLease over : List.of(released, lease)) {
            over.extend(now.plusNanos(60 * SECOND));
            assertThat(over.isHeld()).isFalse();
            over.suspect();
            over.extend(now.plusNanos(60 * SECOND));
            assertThat(over.isHeld()).isFalse();
        }
    }

    @Test
    void observersAreToldOnceAndOfTheFirstLoss() {
        lease.observe(reason -> told.add(reason + " " + lease.isHeld()));
        lease.lose(LossReason.SUSPENDED);
        lease.lose(LossReason.EXPIRED);
        lease.observe(reason -> told.add("late " + reason));

        assertThat(told).containsExactly("SUSPENDED false", "late SUSPENDED");
    }

    @Test
    void aReleaseEndsWithoutALoss() {
        lease.observe(reason -> told.add("lost"));
        lease.release();
        lease.lose(LossReason.STOPPED);
        lease.observe(reason -> told.add("lost"));

        assertThat(told).isEmpty();
        assertThat(lease).hasToString("Lease[r, token 42, RELEASED]");
    }

    /** As for want of memory: the others are told, and it is told by the next attempt; each once. */
    @Test
    void anObserverThatFailsIsToldAgainAndTheOthersOnce() {
        List<String> told = new ArrayList<>();
        boolean[] fails = {true};
        lease.observe(reason -> {
            if (fails[0]) {
                throw new OutOfMemoryError("planted");
            }
            told.add("first");
        });
        lease.observe(reason -> told.add("second"));

        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> lease.lose(LossReason.FAILED));
        assertThat(told).containsExactly("second");
        assertThat(lease.isHeld()).isFalse();
        fails[0] = false;
        assertThat(lease.lose(LossReason.STOPPED)).isFalse();
        assertThat(told).containsExactly("second", "first");
    }

    /** Whoever asks again as soon as it is told of the failure must not be put in a queue that nobody serves. */
    @Test
    void theNodeCountsAsFailedBeforeAnybodyIsTold() {
        LeaseTable table = node.newTable();
        CompletableFuture<HeldLease> waiting = new CompletableFuture<>();
        CompletableFuture<Boolean> failedByThen = waiting.handle((granted, failure) -> node.hasFailed());
        table.await(1, "r", waiting);
        table.failed(new AssertionError("a fault"));
        assertThat(table.endAfterFault()).isTrue();

        assertThat(failedByThen).isCompletedWithValue(true);
    }
}
