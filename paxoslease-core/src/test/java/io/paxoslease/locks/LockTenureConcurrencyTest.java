package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.node.HandClock;
import io.paxoslease.node.HandWiring;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.RunningNode;
import io.paxoslease.node.TestLeases;
import io.paxoslease.protocol.Reading;
import io.paxoslease.shell.Race;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An unlock that keeps the lease meets somebody who wants it. */
class LockTenureConcurrencyTest {

    private static final int ROUNDS = Race.rounds(700);
    private static final int TENURES = 40;
    /** How much later, in the finest steps there are, each unlock comes than the one before. */
    private static final int STEP = 8;

    private static final long SECOND = 1_000_000_000;

    private final Race race = new Race();
    private final HandClock clock = new HandClock();
    private final HandWiring wiring = new HandWiring(clock);
    private final RunningNode node = RunningNode.start(HandWiring.OPTIONS, wiring);
    private final Reading later = clock.read().plusNanos(SECOND);

    @AfterEach
    void stop() {
        race.close();
        wiring.close();
    }

    private final class Trial {
        final HeldLease lease = TestLeases.held(node, "r", 42, later);
        final LockTenure tenure = new LockTenure(LockOptions.renewing());
        final int delay;
        volatile boolean held;
        volatile boolean saysGivenUp;

        Trial(int number) {
            delay = number * STEP;
        }

        void use() {
            tenure.mutex().lock();
            tenure.begin(lease, true);
            held = true;
            int waited = 0;
            while (held && waited < delay) { // a volatile read each, a nanosecond or so
                waited++;
            }
            assertThat(tenure.endHold(lease)).isTrue();
        }

        void want() {
            while (!held) {
                Thread.onSpinWait();
            }
            saysGivenUp = TestLeases.wanted(lease);
        }
    }

    /** Whoever wants it finds it in use and goes away, or it is given up: it is never kept, whoever comes first. */
    @Test
    void whatIsWantedIsGivenUpByWhoeverComesLast() throws InterruptedException {
        int inUse = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Trial> trials =
                    IntStream.range(0, TENURES).mapToObj(Trial::new).toList();
            race.run(() -> trials.forEach(Trial::use), () -> trials.forEach(Trial::want));
            assertThat(trials).noneMatch(trial -> trial.lease.isHeld());
            inUse += (int) trials.stream().filter(trial -> !trial.saysGivenUp).count();
        }
        assertThat(inUse).isPositive();
    }
}
