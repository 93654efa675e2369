package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors, not only exceptions, of users' code and of their executors: none costs the node, a lease, or an answer. */
@Timeout(60)
class UserErrorTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Executor WITHOUT_THREADS = task -> {
        throw new OutOfMemoryError("unable to create native thread");
    };

    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.ofNode();
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void aRequestIsAnsweredThoughTheExecutorHasNoThread() throws InterruptedException {
        try (PaxosLease node = solo(WITHOUT_THREADS)) {
            Lease lease = Futures.get(node.acquire("r", RENEWING));
            assertThat(lease.renew(SHORT)).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
            lease.release();

            assertThat(Futures.get(node.acquire("r", RENEWING)).isHeld()).isTrue();
            assertThat(log.warnings("callback executor")).hasSize(1);
        }
    }

    @Test
    void aLossIsToldThoughTheExecutorHasNoThread() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        try (PaxosLease node = solo(WITHOUT_THREADS)) {
            node.tryAcquire("r", AcquireOptions.fixed(SHORT)).orElseThrow().onLost((lost, reason) -> told.countDown());

            assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
            assertThat(node.monitor().heldLeases()).isZero();
        }
    }

    /** On the node's thread, then. */
    @Test
    void anErrorOfAListenerOnADirectExecutorCostsNothing() throws InterruptedException {
        List<String> told = new CopyOnWriteArrayList<>();
        try (PaxosLease node = solo(Runnable::run)) {
            Lease lease = node.tryAcquire("r", AcquireOptions.fixed(SHORT)).orElseThrow();
            lease.onLost((lost, reason) -> {
                throw new NoClassDefFoundError("of the listener");
            });
            lease.onLost((lost, reason) -> told.add("second"));
            log.await("A listener failed");

            Eventually.until("the lease has ended", () -> node.monitor().heldLeases() == 0);
            assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
            assertThat(node.tryAcquire("r", RENEWING)).isPresent();
            assertThat(told).containsExactly("second");
        }
    }

    @Test
    void anErrorOfAListenerDoesNotReachTheOperatorWhoTakesTheLeaseAway() throws InterruptedException {
        try (PaxosLease node = solo(Runnable::run)) {
            Lease lease = node.tryAcquire("r", RENEWING).orElseThrow();
            lease.onLost((lost, reason) -> {
                throw new AssertionError("of the listener");
            });

            assertThat(node.admin().giveUp("r")).isEqualTo(NodeAdmin.GivenUp.RELEASED);
            assertThat(node.monitor().heldLeases()).isZero();
            assertThat(node.tryAcquire(
                            "r", RENEWING.toBuilder().maxWait(Duration.ZERO).build()))
                    .isPresent();
        }
    }

    @Test
    void anErrorOfAListenerIsLoggedAndTheNextOneIsTold() throws InterruptedException {
        List<String> told = new CopyOnWriteArrayList<>();
        try (PaxosLease node = solo(null)) {
            Lease lease = node.tryAcquire("r", RENEWING).orElseThrow();
            lease.onLost((lost, reason) -> {
                throw new OutOfMemoryError("Java heap space");
            });
            lease.onLost((lost, reason) -> told.add("second"));
            node.admin().giveUp("r");

            Eventually.until("the second is told", () -> !told.isEmpty());
            assertThat(log.warnings("A listener failed")).hasSize(1);
        }
    }

    /** An executor that has run the task, or will, and throws all the same. */
    @Test
    void aCallbackRunsOnceThoughTheExecutorThrowsAfterIt() throws InterruptedException {
        List<LossReason> told = new CopyOnWriteArrayList<>();
        CountDownLatch second = new CountDownLatch(1);
        try (PaxosLease node = solo(task -> {
            task.run();
            throw new IllegalStateException("after the task");
        })) {
            Lease lease = node.tryAcquire("r", RENEWING).orElseThrow();
            lease.onLost((lost, reason) -> told.add(reason));
            node.admin().giveUp("r");
            CompletableFuture<Lease> next = node.acquire("r", RENEWING);
            next.thenRun(second::countDown);
            Futures.get(next).onLost((lost, reason) -> second.countDown());

            assertThat(second.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(told).containsExactly(LossReason.REVOKED);
        }
    }

    @Test
    void anErrorOfAnObserverCostsNothing() throws InterruptedException {
        try (PaxosLease node = solo(null)) {
            node.monitor().addObserver(new NodeObserver() {
                @Override
                public void acquired(String resource, Duration waited) {
                    throw new NoClassDefFoundError("of the observer");
                }

                @Override
                public void lost(String resource, LossReason reason) {
                    throw new NoClassDefFoundError("of the observer");
                }
            });
            assertThat(node.tryAcquire("r", RENEWING)).isPresent();
            node.admin().giveUp("r");

            assertThat(node.monitor().heldLeases()).isZero();
            assertThat(node.tryAcquire("r", RENEWING)).isPresent();
        }
    }

    private static PaxosLease solo(@Nullable Executor callbacks) {
        PaxosLease node = PaxosLease.create(
                PaxosLeaseOptions.builder("solo").callbackExecutor(callbacks).build());
        node.start();
        return node;
    }
}
