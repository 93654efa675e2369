package io.paxoslease.simulation;

import io.paxoslease.simulation.Scenario.Machine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Draws a scenario from a seed. Every class of fault is on in some seeds and off in others. */
final class ScenarioDraw {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    /** Of so many cells with clients one has more than an acceptor queues for one resource. */
    private static final int CELLS_PER_CROWD = 25;

    private static final int MORE_THAN_QUEUED = 18;
    private static final long HOUR_MICROS = 3_600_000_000L;

    private static final List<Fault.Place> PLACES = List.of(Fault.Place.values());

    /** How wrong the wall clocks are. */
    private enum Walls {
        /** All right, and never set: only then may machines be suspended. */
        TRUTHFUL,
        /** Within S of each other, and set by little. */
        MODERATE,
        /** Those of a minority of the acceptors, and of nodes that are none, are off by hours. */
        MINORITY_WRONG,
        /** Anything. */
        ANYTHING
    }

    private final SplittableRandom random;
    private final List<Fault> faults = new ArrayList<>();
    private final Walls walls;
    private final int acceptors;
    private final int nodes;
    private final long maxLease;
    private final double drift;
    private final long quarantine;
    private final long safety;

    /** Of a cell whose members change: so many at one time or another. */
    private ScenarioDraw(SplittableRandom random, int acceptors, int nodes) {
        this.random = random;
        this.walls = Walls.values()[pick(0, 0, 0, 1, 1, 1, 1, 3)];
        this.acceptors = acceptors;
        this.nodes = nodes;
        this.maxLease = (pick(100, 100, 200, 200, 400) + random.nextInt(50)) * MILLI;
        this.drift = pick(1, 20, 100, 100, 200) / 1_000.0;
        this.quarantine = (long) (maxLease * (1 + drift) / (1 - drift));
        this.safety = 200 * MILLI + quarantine * pick(5, 7, 9);
    }

    private ScenarioDraw(SplittableRandom random, @Nullable Walls given, long longer, int crowd) {
        this.random = random;
        this.walls = given == null ? Walls.values()[pick(0, 0, 0, 1, 1, 2, 3)] : given;
        // Cells whose acceptors live in different times only argue, which takes long and shows little.
        this.acceptors = walls == Walls.ANYTHING ? 3 : pick(3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 2, 4, 1);
        int clients = walls == Walls.ANYTHING || given != null ? 0 : pick(0, 0, 0, 1, 2);
        this.nodes = acceptors + (clients > 0 ? Math.max(clients, crowd) : 0);
        this.maxLease = (pick(100, 100, 200, 200, 400, 400, 1_000, 2_000) + random.nextInt(50)) * longer * MILLI;
        this.drift = pick(1, 20, 100, 100, 100, 300) / 1_000.0;
        this.quarantine = (long) (maxLease * (1 + drift) / (1 - drift));
        this.safety = 200 * MILLI + quarantine + maxLease * pick(2, 3, 4, 5);
    }

    static Scenario of(long seed) {
        SplittableRandom crowds = new SplittableRandom(~seed);
        int crowd = crowds.nextInt(CELLS_PER_CROWD) == 0 ? MORE_THAN_QUEUED + crowds.nextInt(8) : 0;
        return new ScenarioDraw(new SplittableRandom(seed), null, 1, crowd).draw(seed);
    }

    /**
     * Of a cell whose wall clocks are right and are never set, and whose nodes are all members.
     *
     * @param longer how many times as long as usual its leases are
     */
    static Scenario truthful(SplittableRandom random, long seed, int longer) {
        return new ScenarioDraw(random, Walls.TRUTHFUL, longer, 0).draw(seed);
    }

    static Scenario changing(SplittableRandom random, long seed, int acceptors, int nodes) {
        return new ScenarioDraw(random, acceptors, nodes).draw(seed);
    }

    private Scenario draw(long seed) {
        List<Machine> machines = new ArrayList<>();
        boolean grown = random.nextInt(5) > 0;
        for (int i = 0; i < nodes; i++) {
            machines.add(new Machine(
                    origin(),
                    rate(),
                    wallOffset(i),
                    Scenario.Sway.NONE,
                    grown ? 2 * quarantine : random.nextBoolean() ? 0 : random.nextLong(2 * quarantine)));
        }
        boolean tokensGrow = drawWallSteps();
        drawFaults();
        faults.sort(Comparator.comparingLong(Fault::at));
        return new Scenario(
                seed,
                acceptors,
                pick(1, 1, 2, 3),
                maxLease,
                Math.max(100 * MILLI, maxLease / pick(1, 1, 2, 3)),
                drift,
                0,
                List.copyOf(machines),
                random.nextBoolean(),
                random.nextInt(5) == 0,
                random.nextInt(3) == 0,
                random.nextBoolean() ? MILLI : Math.max(MILLI, random.nextLong(maxLease / 20)),
                tokensGrow,
                walls != Walls.ANYTHING,
                safety,
                List.copyOf(faults),
                null);
    }

    private void drawFaults() {
        if (random.nextInt(4) > 0) {
            for (int i = random.nextInt(3); i >= 0; i--) {
                drawNoise();
            }
        }
        some(
                4,
                () -> faults.add(new Fault.Crash(
                        at(), briefly(2 * maxLease), victim(), random.nextBoolean(), random.nextInt(3) == 0)));
        some(2, () -> faults.add(new Fault.CleanStop(at(), briefly(2 * maxLease), victim())));
        some(
                4,
                () -> faults.add(new Fault.Pause(
                        at(), briefly(5 * maxLease / 2), victim(), random.nextInt(4), random.nextInt(3) == 0)));
        some(
                3,
                () -> faults.add(new Fault.Stall(
                        at(), briefly(3 * maxLease / 2), victim(), PLACES.get(random.nextInt(PLACES.size())))));
        some(3, () -> faults.add(new Fault.RateChange(at(), victim(), rate())));
        some(2, this::drawPartition);
        some(3, () -> faults.add(new Fault.Clog(at(), briefly(2 * maxLease), victim(), victim())));
        some(
                2,
                () -> faults.add(
                        new Fault.WrongHint(at(), briefly(2 * maxLease), victim(), random.nextInt(acceptors))));
        if (walls == Walls.TRUTHFUL) {
            some(
                    2,
                    () -> faults.add(new Fault.Suspend(
                            at(),
                            random.nextBoolean() ? briefly(3 * maxLease) : random.nextLong(3 * SECOND),
                            victim())));
        }
    }

    /** In half of the seeds nothing of the kind, else up to so many. */
    private void some(int most, Runnable draw) {
        if (random.nextBoolean()) {
            for (int i = random.nextInt(most); i >= 0; i--) {
                draw.run();
            }
        }
    }

    private void drawNoise() {
        long from = random.nextLong(safety);
        faults.add(new Fault.Noise(
                from,
                random.nextLong(safety - from) + 1,
                pick(0, 0, 3, 10, 30),
                pick(0, 0, 10, 40),
                pick(0, 5, 20, 50),
                pick(0, 1, 2, 3) == 0 ? maxLease * 3 / 2 : random.nextLong(maxLease)));
    }

    private void drawPartition() {
        int side = random.nextBoolean() ? 1 << victim() : random.nextInt(1 << nodes);
        faults.add(new Fault.Partition(at(), briefly(3 * maxLease), side, random.nextInt(3) > 0));
    }

    /** @return whether the clocks keep to section 7: set back by less than D_Q - S in all, slow and fast clocks included */
    private boolean drawWallSteps() {
        if (walls == Walls.TRUTHFUL || random.nextInt(3) == 0) {
            return true;
        }
        boolean wild = walls != Walls.MODERATE && random.nextBoolean();
        int steps = 1 + random.nextInt(4);
        long quarantineMicros = quarantine / 1_000;
        long allowedBack = quarantineMicros / 2 / steps;
        for (int i = 0; i < steps; i++) {
            int victim = walls == Walls.MINORITY_WRONG ? minority() : victim();
            long by = walls == Walls.MODERATE
                    ? random.nextLong(-quarantineMicros / 64, quarantineMicros / 64)
                    : wild ? wildMicros() : random.nextLong(-allowedBack, 4 * SECOND / 1_000);
            if (victim >= 0) {
                faults.add(new Fault.WallStep(at(), victim, by));
            }
        }
        return !wild;
    }

    private long wallOffset(int node) {
        long quarantineMicros = quarantine / 1_000;
        return switch (walls) {
            case TRUTHFUL -> 0;
            case MODERATE -> random.nextLong(-quarantineMicros / 16, quarantineMicros / 16);
            case MINORITY_WRONG -> isMinority(node) ? wildMicros() : 0;
            case ANYTHING -> random.nextInt(3) > 0 ? 0 : wildMicros();
        };
    }

    private long wildMicros() {
        return random.nextInt(3) == 0
                ? random.nextLong(-HOUR_MICROS, HOUR_MICROS)
                : random.nextLong(-2_000_000, 3_000_000);
    }

    /** The first few acceptors, and the nodes that are none. */
    private boolean isMinority(int node) {
        return node < (acceptors - 1) / 2 || node >= acceptors;
    }

    private int minority() {
        int victim = victim();
        return isMinority(victim) ? victim : -1;
    }

    private long origin() {
        return switch (random.nextInt(4)) {
            case 0 -> Long.MAX_VALUE - random.nextLong(safety);
            case 1 -> -random.nextLong(safety);
            default -> random.nextLong();
        };
    }

    private long rate() {
        long most = (long) (drift * 1_000_000);
        return 1_000_000 + (random.nextInt(3) == 0 ? random.nextLong(-most, most + 1) : pick(-1, 1) * most);
    }

    private long at() {
        return random.nextLong(safety);
    }

    private long briefly(long longest) {
        return 1 + random.nextLong(random.nextInt(3) == 0 ? longest / 20 : longest);
    }

    private int victim() {
        return random.nextInt(nodes);
    }

    private int pick(int... from) {
        return from[random.nextInt(from.length)];
    }
}
