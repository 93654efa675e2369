package io.paxoslease.simulation;

import io.paxoslease.simulation.Scenario.Machine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Cells whose machines are suspended while what they have sent is on its way, and whose wall clocks are behind each other by up to
 * S, and never set: what a proposal that arrives after another's tenure may bring about.
 */
final class SuspendDraw {

    private static final long MILLI = 1_000_000;
    private static final int NODES = 3;
    /** So many that most of them are free most of the time: a late proposal meets no other holder. */
    private static final int RESOURCES = 6;

    private static final double DRIFT = 0.1;

    private final SplittableRandom random;
    private final long maxLease;
    private final long quarantine;
    private final long safety;
    private final List<Fault> faults = new ArrayList<>();

    private SuspendDraw(SplittableRandom random) {
        this.random = random;
        this.maxLease = (150 + random.nextInt(300)) * MILLI;
        this.quarantine = (long) (maxLease * (1 + DRIFT) / (1 - DRIFT));
        this.safety = 12 * maxLease;
    }

    static Scenario of(long seed) {
        return new SuspendDraw(new SplittableRandom(seed)).draw(seed);
    }

    private Scenario draw(long seed) {
        List<Machine> machines = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            long behindMicros = random.nextLong(quarantine / 4_000);
            machines.add(new Machine(random.nextLong(), 1_000_000, -behindMicros, Scenario.Sway.NONE, 2 * quarantine));
        }
        for (long at = maxLease; at < safety - 2 * maxLease; at += 3 * maxLease / 2 + random.nextLong(maxLease)) {
            drawSuspend(at);
        }
        faults.sort(Comparator.comparingLong(Fault::at));
        return new Scenario(
                seed,
                NODES,
                RESOURCES,
                maxLease,
                maxLease,
                DRIFT,
                0,
                List.copyOf(machines),
                random.nextBoolean(),
                false,
                true,
                MILLI,
                true,
                true,
                safety,
                List.copyOf(faults),
                null);
    }

    /** What the machine sends from then on arrives late, most of it while it sleeps. */
    private void drawSuspend(long at) {
        int victim = random.nextInt(NODES);
        long sleepsAt = at + MILLI + random.nextLong(maxLease / 8);
        long sleeps = maxLease / 2 + random.nextLong(Math.min(3 * maxLease / 2, 480 * MILLI));
        faults.add(new Fault.Renewal(sleepsAt - 1 - random.nextLong(MILLI), victim, maxLease));
        faults.add(new Fault.Suspend(sleepsAt, sleeps, victim));
        for (int other = 0; other < NODES; other++) {
            if (other != victim) {
                long until = sleepsAt + sleeps / 2 + random.nextLong(sleeps / 2);
                faults.add(new Fault.Clog(at, until - at, victim, other));
            }
        }
    }
}
