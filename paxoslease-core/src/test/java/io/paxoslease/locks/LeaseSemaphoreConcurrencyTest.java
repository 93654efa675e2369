package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.node.HandClock;
import io.paxoslease.node.HandEnvironment;
import io.paxoslease.shell.Race;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads that want the permits of one semaphore. */
@Tag("slow")
@Tag("jdk")
class LeaseSemaphoreConcurrencyTest {

    private static final int ROUNDS = Race.rounds(300);
    private static final int PERMITS = 2;

    private final Race race = new Race();
    private final PaxosLease node = HandEnvironment.node(new HandClock(), message -> {});
    private final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());
    private final LeaseSemaphore semaphore = new LeaseSemaphore(locks, "s", PERMITS);
    private final AtomicInteger inside = new AtomicInteger();

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        race.close();
        node.stop();
    }

    @Test
    void atMostAsManyThreadsAsPermitsAreInside() throws InterruptedException {
        Race.Part user = () -> enterAndLeave(semaphore.acquire());
        for (int round = 0; round < ROUNDS; round++) {
            race.run(user, user, user, user, user);
            // A request that was withdrawn may have been granted just then: it is released on the node's thread.
            Eventually.until("all are free", () -> node.monitor().heldLeases() == 0);
        }
    }

    /** What is granted to a thread that has another permit, or waits no more, is given back: else it would be missing for ever. */
    @Test
    void noPermitIsMissingAfterThreadsWereInterrupted() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Lease first = semaphore.acquire();
            Lease second = semaphore.acquire();
            Background<Void> waiting = Background.start(() -> {
                enterAndLeaveUnlessInterrupted();
                return null;
            });
            waiting.awaitBlocked();
            race.run(first::release, second::release, waiting::interrupt, () -> enterAndLeave(semaphore.acquire()));
            finish(waiting);
            Lease one = semaphore.tryAcquire().orElseThrow();
            Lease other = semaphore.tryAcquire().orElseThrow();
            one.release();
            other.release();
        }
    }

    /** The end of waits ends no request for what is free. */
    @Test
    void afterTheEndOfWaitsAFreePermitIsGranted() throws InterruptedException {
        locks.endWaits();
        for (int round = 0; round < ROUNDS; round++) {
            enterAndLeave(semaphore.acquire());
        }
    }

    /** Over TCP, and by three nodes. */
    @Test
    void soItIsInAWholeCell() throws Exception {
        try (TestCell cell = TestCell.started(Duration.ofSeconds(2))) {
            List<Background<Void>> threads = new ArrayList<>();
            for (String id : List.of("a", "b", "c", "a", "b", "c")) {
                LeaseSemaphore mine =
                        new LeaseSemaphore(new LeaseLocks(cell.node(id), LockOptions.defaults()), "s", PERMITS);
                threads.add(Background.start(() -> {
                    for (int i = 0; i < 30; i++) {
                        enterAndLeave(mine.acquire());
                    }
                    return null;
                }));
            }
            for (Background<Void> thread : threads) {
                thread.result();
            }
            for (String id : List.of("a", "b", "c")) {
                Eventually.until("all are free", () -> cell.node(id).monitor().heldLeases() == 0);
            }
        }
    }

    private void enterAndLeaveUnlessInterrupted() {
        try {
            enterAndLeave(semaphore.acquire());
        } catch (InterruptedException interrupted) {
            // The race is about what it leaves behind.
        }
    }

    private static void finish(Background<Void> waiting) throws InterruptedException {
        try {
            waiting.result();
        } catch (ExecutionException failed) {
            throw new AssertionError(failed);
        }
    }

    private void enterAndLeave(Lease permit) {
        try (permit) {
            assertThat(inside.incrementAndGet()).isBetween(1, PERMITS);
            assertThat(permit.isHeld()).isTrue();
            inside.decrementAndGet();
        }
    }
}
