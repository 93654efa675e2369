package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.LossReason;
import io.paxoslease.node.HandClock;
import io.paxoslease.node.HandEnvironment;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.NodeRuntime;
import io.paxoslease.node.StartedNodes;
import io.paxoslease.node.TestLeases;
import io.paxoslease.protocol.Reading;
import io.paxoslease.shell.Race;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The unlock of a lock meets the loss of its lease, which interrupts the owner. */
@Tag("slow")
@Tag("jdk")
class LockHoldConcurrencyTest {

    private static final int ROUNDS = Race.rounds(700);
    private static final int HOLDS = 40;
    private static final int PATIENCE = 2_000;
    private static final long SECOND = 1_000_000_000;

    private final Race race = new Race();
    private final HandClock clock = new HandClock();
    private final HandEnvironment environment = new HandEnvironment(clock);
    private final NodeRuntime node = StartedNodes.start(HandEnvironment.OPTIONS, environment);
    private final Reading later = clock.read().plusNanos(SECOND);
    private final AtomicInteger interrupted = new AtomicInteger();

    @AfterEach
    void stop() {
        race.close();
        environment.close();
    }

    /** One lease, lost when its owner is about to unlock. */
    private final class Trial {
        final HeldLease lease = TestLeases.held(node, "r", 42, later);
        volatile boolean met;
        final AtomicInteger losses = new AtomicInteger();

        void lose() {
            for (int i = 0; i < PATIENCE && !met; i++) {
                Thread.onSpinWait();
            }
            TestLeases.lose(lease, LossReason.EXPIRED);
            losses.incrementAndGet();
        }

        LockHold begin() {
            LockHold hold = new LockHold(lease);
            hold.interruptOwnerOnLoss();
            met = true;
            return hold;
        }

        /** Whether the owner's flag was set when it unlocked. */
        boolean end(LockHold hold) {
            boolean seen = Thread.currentThread().isInterrupted();
            hold.end();
            return seen;
        }
    }

    /** Looked at right after the end, and once more when the other thread has done all it does. */
    @Test
    void noInterruptLeavesTheHold() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = trials();
            race.run(() -> trials.forEach(Trial::lose), () -> {
                for (Trial trial : trials) {
                    if (trial.end(trial.begin())) {
                        interrupted.incrementAndGet();
                    }
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    awaitLosses(trial, 1);
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
            });
        }
        assertThat(interrupted.get()).isPositive();
    }

    @Test
    void anInterruptThatCameBeforeTheHoldOutlastsIt() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = trials();
            race.run(() -> trials.forEach(Trial::lose), () -> {
                for (Trial trial : trials) {
                    Thread.currentThread().interrupt();
                    trial.end(trial.begin());
                    assertThat(Thread.interrupted()).isTrue();
                }
            });
        }
    }

    /** Once per hold, however the loss comes about. */
    @Test
    void anOwnerIsInterruptedOnce() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = trials();
            race.run(() -> trials.forEach(Trial::lose), () -> trials.forEach(Trial::lose), () -> {
                for (Trial trial : trials) {
                    LockHold hold = trial.begin();
                    awaitLosses(trial, 2);
                    assertThat(Thread.interrupted()).isTrue();
                    hold.end();
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
            });
        }
    }

    private static void awaitLosses(Trial trial, int losses) {
        while (trial.losses.get() < losses) {
            Thread.onSpinWait();
        }
    }

    private List<Trial> trials() {
        return Stream.generate(Trial::new).limit(HOLDS).toList();
    }
}
