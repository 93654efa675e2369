package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.node.HandClock;
import io.paxoslease.node.HandEnvironment;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.NodeRuntime;
import io.paxoslease.node.StartedNodes;
import io.paxoslease.node.TestLeases;
import io.paxoslease.protocol.Reading;
import io.paxoslease.shell.Race;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An unlock that retains the lease meets a request of another node. */
@Tag("slow")
@Tag("jdk")
class LockLeaseConcurrencyTest {

    private static final int ROUNDS = Race.rounds(700);
    private static final int LEASES = 40;
    /** How much later, in the finest steps there are, each unlock comes than the one before. */
    private static final int STEP = 8;

    private static final long SECOND = 1_000_000_000;

    private final Race race = new Race();
    private final HandClock clock = new HandClock();
    private final HandEnvironment environment = new HandEnvironment(clock);
    private final NodeRuntime node = StartedNodes.start(HandEnvironment.OPTIONS, environment);
    private final LeaseLocks locks = new LeaseLocks(HandEnvironment.node(clock, message -> {}), LockOptions.defaults());
    private final Reading later = clock.read().plusNanos(SECOND);

    @AfterEach
    void stop() {
        race.close();
        environment.close();
    }

    private final class Trial {
        final HeldLease lease = TestLeases.held(node, "r", 42, later);
        final LockLease retained = new KeyLock(locks, "k").lease;
        final int delay;
        volatile boolean held;
        volatile boolean saysGivenUp;

        Trial(int number) {
            delay = number * STEP;
        }

        void use() {
            retained.mutex.lock();
            retained.begin(lease, true);
            held = true;
            int waited = 0;
            while (held && waited < delay) { // a volatile read each, a nanosecond or so
                waited++;
            }
            assertThat(retained.endHold(lease)).isTrue();
        }

        void want() {
            while (!held) {
                Thread.onSpinWait();
            }
            saysGivenUp = TestLeases.wanted(lease);
        }
    }

    /** The request finds it in use, or it is given up: it is never retained, whichever comes first. */
    @Test
    void aContendedLeaseIsGivenUpByTheThreadThatComesLast() throws InterruptedException {
        int inUse = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials = IntStream.range(0, LEASES).mapToObj(Trial::new).toList();
            race.run(() -> trials.forEach(Trial::use), () -> trials.forEach(Trial::want));
            assertThat(trials).noneMatch(trial -> trial.lease.isHeld());
            inUse += (int) trials.stream().filter(trial -> !trial.saysGivenUp).count();
        }
        assertThat(inUse).isPositive();
    }
}
