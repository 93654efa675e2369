package io.paxoslease.simulation;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.simulation.Scenario.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Draws a cell whose members change by a store while nothing goes wrong: no lease is lost, and none is shorter than a few round trips. Leases are
 * about as long as the time between two questions where acceptors stand, which is a quarter of D_Q. Members that leave are stopped as soon as a
 * status shows that the change is sealed. Some clients start while it is under way.
 */
final class CalmDraw {

    private static final long MILLI = 1_000_000;
    private static final long SALT = 0xCA1AL;
    private static final double DRIFT = 0.1;
    /** Of D_Q: about 28 questions, in which a change of four to five quarters of D_Q and three questions takes place, twice. */
    private static final int QUARANTINES = 7;

    private static final List<int[][]> SHAPES = List.of(
            new int[][] {{0, 1, 2}, {0, 1, 2, 3, 4}},
            new int[][] {{0, 1, 2, 3, 4}, {0, 1, 2}},
            new int[][] {{0, 1, 2}, {0, 1, 3}},
            new int[][] {{0, 1, 2}, {0, 3, 4}},
            new int[][] {{0, 1, 2}, {3, 4, 5}},
            new int[][] {{0, 1, 2}, {0, 1, 2}},
            new int[][] {{0}, {0, 1, 2}},
            new int[][] {{0}, {1}});

    private final SplittableRandom random;
    private final long seed;
    private final List<Fault> faults = new ArrayList<>();

    private CalmDraw(long seed) {
        this.random = new SplittableRandom(seed ^ SALT);
        this.seed = seed;
    }

    static Scenario of(long seed) {
        return new CalmDraw(seed).draw();
    }

    private Scenario draw() {
        int[][] shape = SHAPES.get(random.nextInt(SHAPES.size()));
        long longest = (400 + random.nextInt(1_600)) * MILLI;
        long quarantine = (long) (longest * (1 + DRIFT) / (1 - DRIFT));
        long question = quarantine / 4;
        long lease = Math.max(100 * MILLI, question / 4 + random.nextLong(question));
        long safety = QUARANTINES * quarantine;
        MemberList before = list(shape[0], longest);
        MemberList after = list(shape[1], longest);
        boolean again = random.nextInt(3) == 0;
        List<Generation> files = new ArrayList<>(List.of(Generation.first(before), new Generation(2, after, before)));
        if (again) {
            files.add(new Generation(3, before, after));
        }
        TreeSet<Integer> all = new TreeSet<>();
        IntStream.concat(IntStream.of(shape[0]), IntStream.of(shape[1])).forEach(all::add);
        int members = all.last() + 1;
        int clients = 2 + random.nextInt(4);
        long from = random.nextLong(quarantine / 2);
        faults.add(new Fault.Store(from, 1, false));
        if (again) {
            faults.add(new Fault.Store(from, 2, true));
        }
        for (int node : all) {
            if (IntStream.of(shape[0]).noneMatch(other -> other == node)) {
                faults.add(new Fault.Deploy(from + 1 + random.nextLong(question), 1, node, 1, false));
            } else if (!again && IntStream.of(shape[1]).noneMatch(other -> other == node)) {
                faults.add(new Fault.Deploy(from + 1, 1, node, -1, true));
            }
        }
        for (int client = members; client < members + clients; client++) {
            if (random.nextInt(4) > 0) {
                // with the first file: perhaps when the second change has been told of, but not when members have moved
                // to it
                faults.add(new Fault.Deploy(from + random.nextLong(2 * quarantine), 1, client, 0, false));
            }
        }
        faults.sort(Comparator.comparingLong(Fault::at));
        List<Machine> machines = IntStream.range(0, members + clients)
                .mapToObj(node -> new Machine(random.nextLong(), rate(), 0, Scenario.Sway.NONE, 2 * quarantine))
                .toList();
        Changes changes = new Changes(
                again ? Changes.Kind.TWO_CHANGES : Changes.Kind.ONE_CHANGE,
                List.copyOf(files),
                members,
                shape[0][shape[0].length - 1] + 1,
                files.size() - 1,
                true,
                Set.of(),
                true);
        return new Scenario(
                seed,
                members,
                members + clients,
                longest,
                lease,
                DRIFT,
                0,
                machines,
                random.nextBoolean(),
                false,
                random.nextBoolean(),
                MILLI + random.nextLong(lease / 40),
                true,
                true,
                safety,
                List.copyOf(faults),
                changes);
    }

    private static MemberList list(int[] of, long longest) {
        List<NodeId> ids = IntStream.of(of).mapToObj(Scenario::id).toList();
        return new MemberList(ids, Duration.ofNanos(longest), DRIFT);
    }

    private long rate() {
        long most = (long) (DRIFT * 1_000_000);
        return 1_000_000 + random.nextLong(-most, most + 1);
    }
}
