package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Users' code runs on the callback executor and nowhere else, and what that executor does wrong costs no lease. */
@Tag("slow")
class CallbackTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration SHORT = Duration.ofMillis(50);

    private final BlockingQueue<String> threads = new LinkedBlockingQueue<>();

    @Test
    void callbacksNeverRunOnTheThreadOfTheNode() throws InterruptedException {
        try (TestCell cell = TestCell.started(Duration.ofSeconds(1))) {
            seeThreads(cell.node("a"));
        }
        try (PaxosLease solo = PaxosLease.create(PaxosLeaseOptions.builder("a").build())) {
            solo.start();
            seeThreads(solo);
        }
    }

    private void seeThreads(PaxosLease node) throws InterruptedException {
        Lease holder = Futures.get(node.acquire("r", RENEWING));
        node.acquire("r", AcquireOptions.fixed(SHORT)).thenAccept(lease -> {
            noteThread("granted");
            lease.onLost((lost, reason) -> noteThread("lost"));
        });
        node.acquire("r", RENEWING.toBuilder().maxWait(Duration.ZERO).build())
                .whenComplete((lease, denied) -> noteThread("denied"));
        holder.renew(SHORT).thenAccept(extended -> noteThread("renewed"));
        // These may be complete before the callback is added, which then runs here.
        assertThat(List.of(threads.take(), threads.take()))
                .allMatch(thread -> thread.matches("(denied|renewed) on (main|paxoslease-a-callbacks.*)"));
        holder.release();
        assertThat(threads.poll(10, TimeUnit.SECONDS)).startsWith("granted on paxoslease-a-callbacks");
        assertThat(threads.poll(10, TimeUnit.SECONDS)).startsWith("lost on paxoslease-a-callbacks");
    }

    @Test
    void aCallbackMayStopTheNode() {
        try (TestCell cell = TestCell.started(Duration.ofSeconds(1))) {
            PaxosLease a = cell.node("a");
            a.acquire("r", RENEWING).thenAccept(lease -> a.stop());

            Eventually.until("stopped", () -> !a.monitor().isRunning());
            assertThat(a.monitor().status().state()).isEqualTo(NodeStatus.State.STOPPED);
        }
    }

    @Test
    void anExecutorOfTheUserRunsEveryCallback() throws InterruptedException {
        ExecutorService mine = Executors.newSingleThreadExecutor(task -> new Thread(task, "mine"));
        try (PaxosLease node = solo(mine)) {
            node.acquire("r", AcquireOptions.fixed(SHORT)).thenAccept(lease -> {
                noteThread("granted");
                lease.onLost((lost, reason) -> noteThread("lost"));
            });
            // The future may be complete before the callback is added, which then runs here.
            assertThat(threads.poll(10, TimeUnit.SECONDS)).startsWith("granted on ");
            assertThat(threads.poll(10, TimeUnit.SECONDS)).isEqualTo("lost on mine");
        } finally {
            mine.shutdown();
        }
        assertThat(mine.isTerminated() || mine.awaitTermination(10, TimeUnit.SECONDS))
                .isTrue();
    }

    /** The grant cannot be delivered: the lease must not be held for ever on behalf of nobody. */
    @Test
    void aLeaseThatCannotBeDeliveredIsReleased() throws InterruptedException {
        AtomicBoolean full = new AtomicBoolean(true);
        try (PaxosLease node = solo(task -> {
            if (full.get()) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        })) {
            CompletableFuture<Lease> undelivered = node.acquire("r", RENEWING);
            Eventually.until(
                    "delivered some other way, or released",
                    () -> undelivered.isDone() || node.monitor().status("r").isEmpty());
        }
    }

    @Test
    void aRenewalIsAnsweredThoughTheExecutorIsFull() throws InterruptedException {
        AtomicBoolean full = new AtomicBoolean();
        try (PaxosLease node = solo(task -> {
            if (full.get()) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        })) {
            Lease lease = Futures.get(node.acquire("r", RENEWING));
            full.set(true);

            assertThat(lease.renew(SHORT)).succeedsWithin(Duration.ofSeconds(2));
        }
    }

    /** Spring's executors throw this when they are used before or after their time. */
    @Test
    void anExecutorThatBreaksDoesNotStopTheNode() throws InterruptedException {
        CountDownLatch broken = new CountDownLatch(1);
        try (PaxosLease node = solo(task -> {
            broken.countDown();
            throw new IllegalStateException("not initialized");
        })) {
            Lease lease = node.tryAcquire("r", AcquireOptions.fixed(SHORT)).orElseThrow();
            lease.onLost((lost, reason) -> noteThread("lost"));
            assertThat(broken.await(10, TimeUnit.SECONDS)).isTrue();

            assertThat(node.tryAcquire(
                            "r",
                            RENEWING.toBuilder().maxWait(Duration.ofSeconds(5)).build()))
                    .isPresent();
            assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
        }
    }

    private void noteThread(String what) {
        threads.add(what + " on " + Thread.currentThread().getName());
    }

    private static PaxosLease solo(Executor callbacks) {
        PaxosLease node = PaxosLease.create(
                PaxosLeaseOptions.builder("solo").callbackExecutor(callbacks).build());
        node.start();
        return node;
    }
}
