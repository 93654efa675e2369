package io.paxoslease.simulation;

import io.paxoslease.simulation.Scenario.Machine;
import io.paxoslease.simulation.Scenario.Sway;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws a scenario of a cell that runs Flease: the faults of {@link ScenarioDraw}, and wall clocks near each other, which are
 * steered, set, or wrong.
 */
final class FleaseDraw {

    private static final long MILLI = 1_000_000;
    private static final long LEAST_BOUND = 20 * MILLI;
    private static final long HOUR_MICROS = 3_600_000_000L;
    /** Clocks that are right are off by less than the bound divided by that. */
    private static final int NEAR = 16;
    /** No undisturbed message takes longer than the bound divided by that, or clocks could not be compared closely enough. */
    private static final int PROMPT = 16;
    /** By how many millionths each clock is fast or slow at most: together no more than production assumes of them. */
    private static final long MOST_SWAY = 400;

    private static final long MOST_DRIFT = 500;

    /** What happens to the wall clocks. */
    private enum Walls {
        /** All are near the right time. */
        NEAR,
        /** They are set by little. */
        SET_BY_LITTLE,
        /** Those of a minority are set at will, or wrong from the start. */
        MINORITY_WRONG,
        /** Each is set at will, or wrong from the start. */
        ANYTHING,
        /** Several are set at once by the same, as when they follow one wrong server. */
        TOGETHER,
        /** One after the other is set by the same. */
        ONE_BY_ONE
    }

    private final SplittableRandom random;
    private final Scenario base;
    private final long boundMicros;
    private final Walls walls;

    private FleaseDraw(SplittableRandom random, Scenario base) {
        this.random = random;
        this.base = base;
        this.walls = Walls.values()[random.nextInt(Walls.values().length)];
        long bound = random.nextInt(4) == 0
                ? base.maxLeaseNanos() - MILLI
                : LEAST_BOUND + base.maxLeaseNanos() / 50 + random.nextLong(base.maxLeaseNanos() / 4);
        this.boundMicros = bound / 1_000;
    }

    static Scenario of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int longer = random.nextInt(12) == 0 ? 5 : 1;
        return new FleaseDraw(random, ScenarioDraw.truthful(random, seed, longer)).draw();
    }

    private Scenario draw() {
        List<Machine> machines = new ArrayList<>();
        for (int node = 0; node < base.nodes(); node++) {
            Machine machine = base.machines().get(node);
            machines.add(new Machine(
                    machine.origin(), rate(machine.rateMillionths()), offsetMicros(node), sway(), machine.upNanos()));
        }
        List<Fault> faults = new ArrayList<>(base.faults());
        faults.replaceAll(fault -> fault instanceof Fault.RateChange change
                ? new Fault.RateChange(change.at(), change.victim(), rate(change.millionths()))
                : fault);
        drawSteps(faults);
        faults.sort(Comparator.comparingLong(Fault::at));
        return new Scenario(
                base.seed(),
                base.acceptors(),
                base.resources(),
                base.maxLeaseNanos(),
                base.leaseNanos(),
                base.drift(),
                boundMicros * 1_000,
                List.copyOf(machines),
                base.coarseWall(),
                base.encoded(),
                base.inOrder(),
                Math.min(base.linkNanos(), boundMicros * 1_000 / PROMPT),
                walls == Walls.NEAR || walls == Walls.SET_BY_LITTLE || walls == Walls.MINORITY_WRONG,
                true,
                base.safetyNanos(),
                List.copyOf(faults),
                null);
    }

    /** As far from the right rate as the other, in proportion: the other may be off by rho. */
    private long rate(long millionths) {
        return 1_000_000 + Math.round((millionths - 1_000_000) * MOST_DRIFT / (base.drift() * 1_000_000));
    }

    private Sway sway() {
        return random.nextBoolean()
                ? new Sway(1 + random.nextLong(boundMicros / NEAR / 2), 1 + random.nextLong(MOST_SWAY))
                : Sway.NONE;
    }

    private long offsetMicros(int node) {
        boolean mayBeWrong = walls == Walls.ANYTHING || (walls == Walls.MINORITY_WRONG && isOfMinority(node));
        return mayBeWrong && random.nextInt(3) == 0 ? wild() : within(boundMicros / NEAR / 2);
    }

    private void drawSteps(List<Fault> faults) {
        if (walls == Walls.NEAR) {
            return;
        }
        if (walls == Walls.ONE_BY_ONE) {
            drawStepsOneByOne(faults);
            return;
        }
        for (int steps = random.nextInt(5); steps >= 0; steps--) {
            long at = random.nextLong(base.safetyNanos());
            long by = walls == Walls.SET_BY_LITTLE ? within(boundMicros / NEAR / 2) : wild();
            int side = walls == Walls.TOGETHER ? random.nextInt(1 << base.nodes()) : 1 << random.nextInt(base.nodes());
            for (int node = 0; node < base.nodes(); node++) {
                if ((side >> node & 1) == 1 && (walls != Walls.MINORITY_WRONG || isOfMinority(node))) {
                    faults.add(new Fault.WallStep(at, node, by));
                }
            }
        }
    }

    /** Each is taken back into the cell before the next one is set, or not quite. */
    private void drawStepsOneByOne(List<Fault> faults) {
        long by = wild();
        long at = random.nextLong(base.safetyNanos() / 4);
        for (int node = base.acceptors() - 1; node > 0 && at < base.safetyNanos(); node--) {
            faults.add(new Fault.WallStep(at, node, by));
            at += base.maxLeaseNanos() + boundMicros * 1_000 + random.nextLong(base.maxLeaseNanos() / 2);
        }
    }

    /** The first few. */
    private boolean isOfMinority(int node) {
        return node < (base.acceptors() - 1) / 2;
    }

    private long wild() {
        return switch (random.nextInt(4)) {
            case 0 -> within(HOUR_MICROS);
            case 1 -> within(boundMicros / 2);
            case 2 -> within(3 * base.maxLeaseNanos() / 1_000);
            default -> within(2 * boundMicros);
        };
    }

    private long within(long most) {
        return random.nextLong(-most, most + 1);
    }
}
