package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.LossReason;
import io.paxoslease.protocol.Reading;
import io.paxoslease.shell.Race;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One lease in the hands of its node's thread and of several threads that use it. */
@Tag("slow")
@Tag("jdk")
class HeldLeaseConcurrencyTest {

    private static final int ROUNDS = Race.rounds(700);
    private static final int LEASES = 40;
    private static final int LOOKS = 5;
    private static final int PATIENCE = 2_000;
    private static final int OBSERVERS = 8;
    private static final int MOVES = 8;
    private static final long SECOND = 1_000_000_000;

    private final Race race = new Race();
    private final HandClock clock = new HandClock();
    private final HandEnvironment environment = new HandEnvironment(clock);
    private final NodeRuntime node = StartedNodes.start(HandEnvironment.OPTIONS, environment);
    private final Reading later = clock.read().plusNanos(SECOND);

    @AfterEach
    void stop() {
        race.close();
        environment.close();
    }

    /** One lease, and what threads saw of it. A round has many, so that threads meet at many of them. */
    private final class Trial {
        final HeldLease lease = new HeldLease(node, "r", 42, later);
        final AtomicInteger toldFirst = new AtomicInteger();
        final AtomicInteger toldSecond = new AtomicInteger();
        volatile boolean over;
        volatile boolean met;
        volatile boolean releasedBeforeLoss;

        void release() {
            lease.release();
            over = true;
            assertThat(lease.isHeld()).isFalse();
        }

        void lose() {
            releasedBeforeLoss = over;
            lease.lose(LossReason.STOPPED);
            lease.lose(LossReason.EXPIRED);
            over = true;
        }

        void extendAndSuspect() {
            for (int i = 0; i < MOVES; i++) {
                lease.extend(later);
                lease.suspect();
                lease.extend(later);
            }
        }

        /** What was over before the question must not be held in the answer. */
        void look() {
            for (int i = 0; i < LOOKS; i++) {
                boolean wasOver = over;
                boolean held = lease.isHeld();
                assertThat(wasOver && held).isFalse();
            }
        }

        /** Waits a little, so that the threads do not lose each other. */
        void loseWhenMet() {
            for (int i = 0; i < PATIENCE && !met; i++) {
                Thread.onSpinWait();
            }
            lease.lose(LossReason.EXPIRED);
        }

        void observe() {
            met = true;
            for (int i = 0; i < OBSERVERS; i++) {
                lease.observe(reason -> toldSecond.incrementAndGet());
            }
        }

        boolean isLost() {
            return lease.toString().endsWith("LOST]");
        }
    }

    @Test
    void onceReleasedNeverHeldAgainWhateverExtensionRaces() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = trials();
            race.run(
                    () -> trials.forEach(Trial::release),
                    () -> trials.forEach(Trial::extendAndSuspect),
                    () -> trials.forEach(Trial::look));
            assertThat(trials).noneMatch(trial -> trial.lease.isHeld());
        }
    }

    @Test
    void onceLostNeverHeldAgainWhateverExtensionRaces() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = trials();
            race.run(
                    () -> trials.forEach(Trial::lose),
                    () -> trials.forEach(Trial::extendAndSuspect),
                    () -> trials.forEach(Trial::look));
            assertThat(trials).noneMatch(trial -> trial.lease.isHeld());
        }
    }

    @Test
    void aListenerIsToldOfALossOnceAndNeverAfterARelease() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = trials();
            trials.forEach(trial -> trial.lease.observe(reason -> trial.toldFirst.incrementAndGet()));
            race.run(
                    () -> trials.forEach(Trial::release),
                    () -> trials.forEach(Trial::lose),
                    () -> trials.forEach(Trial::observe));
            for (Trial trial : trials) {
                int expected = trial.isLost() ? 1 : 0;
                assertThat(trial.toldFirst).hasValue(expected);
                assertThat(trial.toldSecond).hasValue(expected * OBSERVERS);
                assertThat(trial.isLost() && trial.releasedBeforeLoss).isFalse();
            }
        }
    }

    @Test
    void aListenerThatIsAddedAsTheLeaseEndsIsToldOnce() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = trials();
            race.run(() -> trials.forEach(Trial::loseWhenMet), () -> trials.forEach(Trial::observe));
            for (Trial trial : trials) {
                assertThat(trial.toldSecond).hasValue(OBSERVERS);
            }
        }
    }

    private List<Trial> trials() {
        return Stream.generate(Trial::new).limit(LEASES).toList();
    }

    /** Row 21: the cell is told after the holder stopped, and once, however many threads release at the same time. */
    @Test
    void theReleaseIsSubmittedOnceAndAfterTheHolderStopped() throws InterruptedException {
        for (int round = 0; round < 2 * ROUNDS; round++) {
            Trial trial = new Trial();
            List<String> submitted = new ArrayList<>();
            environment.loop.runAtOnce(() -> submitted.add(trial.lease.isHeld() ? "while held" : "after the end"));
            race.run(trial.lease::release, trial.lease::release, trial::extendAndSuspect);
            assertThat(submitted).containsExactly("after the end");
        }
    }

    /** Processors that keep stores in order hide a missing barrier; the declaration does not. */
    @Test
    void theAuthorityIsReadAsOneSnapshotThatEveryThreadSees() throws NoSuchFieldException {
        Field authority = HeldLease.class.getDeclaredField("authority");

        assertThat(Modifier.isVolatile(authority.getModifiers())).isTrue();
        assertThat(authority.getType().isRecord()).isTrue();
    }
}
