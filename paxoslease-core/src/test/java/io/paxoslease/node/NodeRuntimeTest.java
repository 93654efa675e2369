package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Futures;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Calls that reach a node just after it stopped: the caller looked whether it runs, it stopped, the call goes on. None may
 * wait for an answer for ever.
 */
class NodeRuntimeTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();

    private NodeRuntime node;

    @BeforeEach
    void start() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("solo").build();
        node = StartedNodes.start(options, StartedNodes.environment(options));
    }

    @Test
    void aRequestAfterTheStopIsAnswered() {
        node.stop();

        assertThat(StartedNodes.acquire(node, "r", RENEWING))
                .failsWithin(Duration.ofSeconds(2))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(PaxosLeaseException.class);
    }

    /** The node's thread was held up in the middle of a grant while the node was stopped. */
    @Test
    void aLeaseThatIsGrantedAfterTheStopIsNotHeld() {
        LeaseTable table = node.newTable();
        CompletableFuture<HeldLease> answer = new CompletableFuture<>();
        table.await(1, "r", answer);
        node.stop();
        Reading now = node.clock().read();
        table.apply(new Effect.Granted(1, "r", 7, now.plusNanos(60_000_000_000L), now.moment()));
        table.finish();

        assertThat(answer.join().isHeld()).isFalse();
    }

    @Test
    void aLeaseThatIsReleasedTheInstantItIsGrantedIsNotKept() throws ReflectiveOperationException {
        LeaseTable table = node.newTable();
        Field held = LeaseTable.class.getDeclaredField("held");
        held.setAccessible(true);
        CompletableFuture<HeldLease> answer = new CompletableFuture<>();
        answer.thenAccept(lease -> table.forget(lease));
        table.await(1, "r", answer);
        Reading now = node.clock().read();
        table.apply(new Effect.Granted(1, "r", 7, now.plusNanos(60_000_000_000L), now.moment()));
        table.finish();

        assertThat(answer.join().isHeld()).isTrue();
        assertThat((Map<?, ?>) held.get(table)).isEmpty();
    }

    @Test
    void aRenewalAfterTheStopIsAnswered() throws InterruptedException {
        HeldLease lease = Futures.get(StartedNodes.acquire(node, "r", RENEWING));
        node.stop();

        assertThat(lease.renew(Duration.ofSeconds(1)))
                .succeedsWithin(Duration.ofSeconds(2))
                .isEqualTo(false);
    }

    @Test
    void aQuestionAfterTheStopFailsAsDocumented() {
        node.stop();

        assertThatExceptionOfType(PaxosLeaseException.class).isThrownBy(() -> node.ask(LeaseAlgorithm::highestToken));
        assertThatExceptionOfType(PaxosLeaseException.class)
                .isThrownBy(() -> new Inspection(node, HandEnvironment.OPTIONS, node.losses()).leases(List.of("r")));
    }

    @Test
    void aListenerAddedAfterTheStopIsTold() throws InterruptedException {
        BlockingQueue<LossReason> told = new LinkedBlockingQueue<>();
        HeldLease lease = Futures.get(StartedNodes.acquire(node, "r", RENEWING));
        node.stop();
        lease.onLost((lost, reason) -> told.add(reason));

        assertThat(told.poll(2, TimeUnit.SECONDS)).isEqualTo(LossReason.STOPPED);
    }

    @Test
    void aWithdrawalOrAReleaseAfterTheStopDoesNothing() throws InterruptedException {
        HeldLease lease = Futures.get(StartedNodes.acquire(node, "r", RENEWING));
        node.stop();

        lease.release();
        node.withdraw("r", 1);
        node.giveUp(lease);
        assertThat(lease.isHeld()).isFalse();
    }

    /** Threads keep asking while the node stops: each is answered, with a lease or with an exception. */
    @Test
    void nobodyIsForgottenWhenANodeStopsAmidRequests() throws InterruptedException {
        node.stop();
        for (int round = 0; round < 100; round++) {
            PaxosLease solo =
                    PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
            solo.start();
            CountDownLatch asking = new CountDownLatch(2);
            List<Background<Void>> callers = List.of(keepAsking(solo, asking), keepAsking(solo, asking));
            assertThat(asking.await(10, TimeUnit.SECONDS)).isTrue();
            solo.stop();
            for (Background<Void> caller : callers) {
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(caller::result)
                        .withCauseInstanceOf(PaxosLeaseException.class);
            }
        }
    }

    private static Background<Void> keepAsking(PaxosLease solo, CountDownLatch asking) {
        return Background.start(() -> {
            while (true) {
                solo.tryAcquire("r", RENEWING).ifPresent(Lease::release);
                asking.countDown();
            }
        });
    }
}
