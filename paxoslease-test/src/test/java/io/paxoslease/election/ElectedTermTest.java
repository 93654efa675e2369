package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.node.HeldLease;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limit on the end of a leadership whose candidate never finishes: nothing but the limit releases its lease. */
@Tag("slow")
@Timeout(60) // a test hangs if it does not move the clock
class ElectedTermTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration LEASE_TIME = PaxosLeaseOptions.DEFAULT_LEASE_TIME;
    private static final Duration LIMIT = Duration.ofHours(1);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final LogCapture log = LogCapture.of(ElectedTerm.class);
    private final HeldLease lease =
            (HeldLease) cell.node("a").acquire("role:x", RENEWING).join();
    private final ElectedTerm term = new ElectedTerm("x", lease);

    @AfterEach
    void stop() {
        cell.close();
        log.close();
    }

    @Test
    void theLeaseIsReleasedAtTheLimitByTheNodesClockAndNotBefore() {
        CompletableFuture<Lease> other = cell.node("b").acquire("role:x", RENEWING);
        term.end(ElectedTerm.End.RESIGNED, LIMIT);
        assertThat(term.isLeader()).isFalse();

        cell.advance(LIMIT.minusNanos(1));
        assertThat(lease.isHeld()).isTrue();
        assertThat(term.wasCutShort()).isFalse();
        assertThat(other).isNotDone();
        assertThat(log.warnings("")).isEmpty();

        cell.advance(Duration.ofNanos(1));
        assertThat(lease.isHeld()).isFalse();
        assertThat(term.wasCutShort()).isTrue();
        assertThat(other).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(log.warnings(""))
                .containsExactly(
                        "WARN Work on the leader of role 'x' is still running PT1H after revocation; releasing its lease");
    }

    @Test
    void aLeadershipThatEndsInTimeIsNotCutShort() {
        term.end(ElectedTerm.End.STOPPED, LIMIT);
        term.release();
        cell.advance(LIMIT.multipliedBy(2));

        assertThat(term.wasCutShort()).isFalse();
        assertThat(log.warnings("")).isEmpty();
    }

    /** Otherwise the next leader would begin while a call of this one works. */
    @Test
    void aNodeThatStopsDoesNotReleaseTheLeaseOfALeadershipThatGuardsACall() {
        GuardedCall call = Objects.requireNonNull(GuardedCall.enter(term, false));
        CompletableFuture<Lease> other = cell.node("b").acquire("role:x", RENEWING);
        cell.node("a").stop();
        cell.advance(Duration.ofMillis(500));
        assertThat(term.isLeader()).isFalse();
        assertThat(other).isNotDone();

        call.close();
        cell.advance(LEASE_TIME.multipliedBy(2));
        assertThat(other).isCompletedWithValueMatching(Lease::isHeld);
    }

    /** It would be asked for when the tenure has ended here, and released with it. */
    @Test
    void aRequestOfTheSameNodeDoesNotEndTheLeaseThatGuardsACall() {
        GuardedCall call = Objects.requireNonNull(GuardedCall.enter(term, false));
        CompletableFuture<Lease> same = cell.node("a").acquire("role:x", RENEWING);
        CompletableFuture<Lease> other = cell.node("b").acquire("role:x", RENEWING);
        cell.node("a").stop();
        cell.advance(Duration.ofMillis(500));
        assertThat(same).isCompletedExceptionally();
        assertThat(other).isNotDone();
        call.close();
    }

    @Test
    void aNodeThatStopsReleasesTheLeaseOfALeadershipThatGuardsNothing() {
        Objects.requireNonNull(GuardedCall.enter(term, false)).close();
        CompletableFuture<Lease> other = cell.node("b").acquire("role:x", RENEWING);
        cell.node("a").stop();
        cell.advance(Duration.ofMillis(500));
        assertThat(other).isCompletedWithValueMatching(Lease::isHeld);
    }

    /** Longer than any timer: there is no limit then, and no fault either. */
    @Test
    void aLimitMayBeOfAnyLength() {
        term.end(ElectedTerm.End.STOPPED, Duration.ofSeconds(Long.MAX_VALUE));
        cell.advance(Duration.ofDays(1));

        assertThat(lease.isHeld()).isTrue();
    }
}
