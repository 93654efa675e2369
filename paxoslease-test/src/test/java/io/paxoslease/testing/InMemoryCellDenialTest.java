package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node of an in-memory cell that is kept from some leases. */
@Timeout(60) // a test hangs if it does not move the clock
class InMemoryCellDenialTest {

    private static final Duration LEASE_TIME = PaxosLeaseOptions.DEFAULT_LEASE_TIME;
    /** As far as {@link InMemoryCell#allowRequests} says. */
    private static final Duration RETRY = Duration.ofMillis(2);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private CompletableFuture<Lease> request(String node, String resource) {
        return cell.node(node).acquire(resource, AcquireOptions.renewing());
    }

    @Test
    void aNodeIsKeptFromAcquiringOneLeaseOnly() {
        cell.denyRequests("a", "x"::equals);
        CompletableFuture<Lease> x = request("a", "x");
        CompletableFuture<Lease> y = request("a", "y");
        cell.advance(Duration.ofMinutes(1));

        assertThat(x).isNotDone();
        assertThat(y).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(request("b", "x")).succeedsWithin(Duration.ofSeconds(10)).matches(Lease::isHeld);
    }

    @Test
    void aNodeIsKeptFromRenewingOneLeaseOnly() throws InterruptedException {
        Lease x = Futures.get(request("a", "x"));
        Lease y = Futures.get(request("a", "y"));
        CompletableFuture<Lease> successor = request("b", "x");
        cell.denyRequests("a", "x"::equals);
        cell.advance(LEASE_TIME);

        assertThat(x.isHeld()).isFalse();
        assertThat(successor).isCompletedWithValueMatching(Lease::isHeld);
        cell.advance(Duration.ofMinutes(1));
        assertThat(y.isHeld()).isTrue();
    }

    /** Whatever the node is at, a round or a pause, when it is allowed again. */
    @Test
    void aRequestSucceedsAsSoonAsItIsAllowed() {
        for (int i = 0; i < 500; i++) {
            cell.denyRequests("a", resource -> true);
            CompletableFuture<Lease> waiting = request("a", "x");
            cell.advance(Duration.ofMillis(7L * i));
            assertThat(waiting).isNotDone();
            cell.allowRequests("a");
            cell.advance(RETRY);

            assertThat(waiting).as("after %d ms", 7L * i).isCompletedWithValueMatching(Lease::isHeld);
            waiting.join().release();
        }
    }

    @Test
    void aNodeThatIsKeptFromAcquiringKeepsWhatItHolds() throws InterruptedException {
        Lease x = Futures.get(request("a", "x"));
        cell.denyAcquiring("a", resource -> true);
        CompletableFuture<Lease> y = request("a", "y");
        cell.advance(Duration.ofMinutes(1));

        assertThat(x.isHeld()).isTrue();
        assertThat(y).isNotDone();
        x.release();
        CompletableFuture<Lease> again = request("a", "x");
        cell.advance(Duration.ofMinutes(1));
        assertThat(again).isNotDone();
        cell.denyAcquiring("a", "y"::equals);
        cell.advance(RETRY);
        assertThat(again).isCompletedWithValueMatching(Lease::isHeld);
        cell.allowRequests("a");
        cell.advance(RETRY);
        assertThat(y).isCompletedWithValueMatching(Lease::isHeld);
    }

    @Test
    void whatIsDeniedNoMoreIsTriedAgainAndTheRestStaysDenied() {
        cell.denyRequests("a", resource -> true);
        CompletableFuture<Lease> x = request("a", "x");
        CompletableFuture<Lease> y = request("a", "y");
        cell.advance(Duration.ofMinutes(1));
        cell.denyRequests("a", "y"::equals);
        cell.advance(RETRY);

        assertThat(x).isCompletedWithValueMatching(Lease::isHeld);
        cell.advance(Duration.ofMinutes(1));
        assertThat(y).isNotDone();
    }

    @Test
    void aLeaseThatIsAllowedInTimeIsKept() throws InterruptedException {
        Lease x = Futures.get(request("a", "x"));
        for (int i = 0; i < 20; i++) {
            cell.denyRequests("a", resource -> true);
            cell.advance(Duration.ofMillis(1_600));
            cell.allowRequests("a");
            cell.advance(RETRY);
        }
        assertThat(x.isHeld()).isTrue();
    }

    @Test
    void leadershipIsGrantedAndTakenAtWill() {
        cell.denyRequests("a", "x"::equals);
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Lease> waiting = request("a", "x");
            cell.advance(Duration.ofSeconds(30));
            cell.allowRequests("a");
            cell.advance(RETRY);
            assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
            cell.denyRequests("a", "x"::equals);
            cell.advance(LEASE_TIME);
            assertThat(waiting).isCompletedWithValueMatching(lease -> !lease.isHeld());
        }
    }

    @Test
    void allowingWhatWasNotDeniedChangesNothing() throws InterruptedException {
        Lease x = Futures.get(request("a", "x"));
        cell.allowRequests("a");
        cell.advance(Duration.ofMinutes(1));

        assertThat(x.isHeld()).isTrue();
    }

    @Test
    void nothingIsDeniedToANodeThatAsksNobody() {
        try (InMemoryCell alone = InMemoryCell.of("a")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> alone.denyRequests("a", resource -> true))
                    .withMessageContaining("add nodes");
        }
    }
}
