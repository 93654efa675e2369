package io.paxoslease.simulation;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.simulation.Changes.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Draws a scenario of a cell whose members, longest lease or drift change while it serves: the faults of {@link ScenarioDraw}, and
 * operators who give one node after the other another file.
 */
final class ChangeDraw {

    private static final long MILLI = 1_000_000;
    /** Of so many cells one changes. */
    private static final int CELLS_PER_CHANGE = 4;

    /** Of so many cells that change nothing else happens in one. */
    private static final int CHANGES_PER_CALM_ONE = 8;

    private static final long SALT = 0x5EA1EDL;
    private static final long CALM_SALT = 0xCA1AL;
    private static final long LIVE_SALT = 0x11FEL;
    /** Of so many cells that change by generations one has a store. */
    private static final int CELLS_PER_STORE = 3;

    private static final int REMOVED = -1;
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final long TIMES_SALT = 0x40A7L;

    /** Before and after: grown and shrunk, some or all replaced, of even sizes, of one. */
    private static final List<int[][]> SHAPES = List.of(
            new int[][] {{0, 1, 2}, {0, 1, 2, 3, 4}},
            new int[][] {{0, 1, 2}, {0, 1, 2, 3, 4}},
            new int[][] {{0, 1, 2, 3, 4}, {0, 1, 2}},
            new int[][] {{0, 1, 2}, {0, 1, 3}},
            new int[][] {{0, 1, 2}, {0, 1, 3}},
            new int[][] {{0, 1, 2}, {0, 3, 4}},
            new int[][] {{0, 1, 2}, {3, 4, 5}},
            new int[][] {{0, 1, 2}, {0, 1, 2}},
            new int[][] {{0, 1, 2}, {0, 1, 2, 3}},
            new int[][] {{0, 1, 2, 3}, {1, 2, 3}},
            new int[][] {{0, 1}, {0, 1, 2}},
            new int[][] {{0, 1, 2}, {1, 3}},
            new int[][] {{0}, {0, 1, 2}},
            new int[][] {{0, 1, 2}, {2}},
            new int[][] {{0}, {1}});

    private static final List<Kind> KINDS = List.of(
            Kind.ONE_CHANGE,
            Kind.ONE_CHANGE,
            Kind.ONE_CHANGE,
            Kind.ONE_CHANGE,
            Kind.ONE_CHANGE,
            Kind.TWO_CHANGES,
            Kind.TWO_CHANGES,
            Kind.TWO_CHANGES,
            Kind.TWO_CONTENTS,
            Kind.CORRECTED_CONTENTS,
            Kind.HASTY_CHANGES,
            Kind.UNMARKED);

    private final SplittableRandom random;
    private final Kind kind;
    private final int[] before;
    private final int[] after;
    private final int[] third;
    private final int members;
    private final int clients;
    private final List<Fault> faults = new ArrayList<>();
    /** Of what cells with a store need besides, so that the others stay as they are. */
    private final SplittableRandom liveRandom;

    private final SplittableRandom timesRandom;
    private final boolean live;
    private Scenario base;
    private List<Generation> files = List.of();
    private long quarantine;

    private ChangeDraw(SplittableRandom random, long seed) {
        this.random = random;
        this.kind = KINDS.get(random.nextInt(KINDS.size()));
        int[][] shape = shape();
        this.before = shape[0];
        this.after = shape[1];
        this.third = kind == Kind.ONE_CHANGE || kind == Kind.UNMARKED ? after : third();
        this.members = 1
                + IntStream.of(before[before.length - 1], after[after.length - 1], third[third.length - 1])
                        .max()
                        .getAsInt();
        this.clients = random.nextInt(3) / 2 * (1 + random.nextInt(2));
        this.liveRandom = new SplittableRandom(seed ^ LIVE_SALT);
        this.timesRandom = new SplittableRandom(seed ^ TIMES_SALT);
        boolean mayBeLive = kind == Kind.ONE_CHANGE || kind == Kind.TWO_CHANGES || kind == Kind.TWO_CONTENTS;
        this.live = mayBeLive && liveRandom.nextInt(CELLS_PER_STORE) == 0;
        this.base = ScenarioDraw.changing(random, seed, members, members + clients);
    }

    /** A cell that changes in a share of the seeds, and one that does not in the others. */
    static Scenario of(long seed) {
        SplittableRandom random = new SplittableRandom(seed ^ SALT);
        if (random.nextInt(CELLS_PER_CHANGE) > 0) {
            return ScenarioDraw.of(seed);
        }
        boolean calm = new SplittableRandom(seed ^ CALM_SALT).nextInt(CHANGES_PER_CALM_ONE) == 0;
        return calm ? CalmDraw.of(seed) : new ChangeDraw(random, seed).draw();
    }

    /** A cell that changes. */
    static Scenario changing(long seed) {
        return new ChangeDraw(new SplittableRandom(~seed ^ SALT), seed).draw();
    }

    /** Where only the guard protects, a majority of either list has a node that is in the other, and so nodes of both meet (section 9). */
    private int[][] shape() {
        int[][] shape = SHAPES.get(random.nextInt(SHAPES.size()));
        boolean isGuarded = kind == Kind.UNMARKED || kind == Kind.HASTY_CHANGES;
        return isGuarded && isMostlyMissing(shape[0], shape[1]) && isMostlyMissing(shape[1], shape[0])
                ? shape()
                : shape;
    }

    private static boolean isMostlyMissing(int[] list, int[] in) {
        long missing = IntStream.of(list)
                .filter(node -> IntStream.of(in).noneMatch(other -> other == node))
                .count();
        return missing > list.length / 2;
    }

    /** Another list: of the second one, or of the first for two contents, one is replaced; or it is the first one again. */
    private int[] third() {
        boolean isOther = kind == Kind.TWO_CONTENTS || kind == Kind.CORRECTED_CONTENTS;
        if (!isOther && random.nextInt(3) == 0) {
            return before;
        }
        TreeSet<Integer> list = new TreeSet<>();
        IntStream.of(isOther ? before : after).forEach(list::add);
        list.remove((isOther ? before : after)[random.nextInt((isOther ? before : after).length)]);
        list.add(1 + Math.max(before[before.length - 1], after[after.length - 1]));
        return list.stream().mapToInt(node -> node).toArray();
    }

    private Scenario draw() {
        MemberList first = list(before);
        MemberList second = list(after);
        MemberList last = list(third);
        Generation one = Generation.first(first);
        Generation two = new Generation(2, second, first);
        files = switch (kind) {
            case ONE_CHANGE -> List.of(one, two);
            case TWO_CHANGES, HASTY_CHANGES -> List.of(one, two, new Generation(3, last, second));
            case TWO_CONTENTS, CORRECTED_CONTENTS -> List.of(one, two, new Generation(2, last, first));
            case UNMARKED -> List.of(one, two, Generation.first(second));
        };
        quarantine = files.stream()
                .mapToLong(file -> Scenario.quarantineNanos(file, false))
                .max()
                .getAsLong();
        switch (kind) {
            case ONE_CHANGE -> roll(1, random.nextLong(base.safetyNanos() / 4), false);
            case TWO_CHANGES -> {
                roll(1, random.nextLong(quarantine), false);
                roll(2, random.nextLong(quarantine), true);
            }
            case HASTY_CHANGES -> {
                rollOut(1, random.nextLong(quarantine), false);
                rollOut(2, random.nextLong(base.safetyNanos() / 2), false);
            }
            default -> scatter();
        }
        removeAndLose();
        base.faults().stream().filter(this::isAllowed).forEach(faults::add);
        int end = kind == Kind.TWO_CHANGES || kind == Kind.HASTY_CHANGES ? 2 : 1;
        Set<Integer> storeless = new TreeSet<>();
        if (live && kind == Kind.TWO_CONTENTS) { // each node keeps its content: of the store, or of its own file
            faults.add(new Fault.Store(liveRandom.nextLong(base.safetyNanos() / 2), 1, false));
            faults.stream()
                    .filter(fault -> fault instanceof Fault.Deploy deploy && deploy.file() == 2)
                    .forEach(fault -> storeless.add(((Fault.Deploy) fault).victim()));
        }
        faults.sort(Comparator.comparingLong(Fault::at));
        return scenario(new Changes(kind, files, members, before[before.length - 1] + 1, end, live, storeless, false));
    }

    /** Where the guard has to see everybody, everybody can be seen. */
    private boolean isAllowed(Fault fault) {
        return kind.isByGenerations()
                || !(fault instanceof Fault.Partition
                        || fault instanceof Fault.Pause
                        || fault instanceof Fault.Suspend);
    }

    private Scenario scenario(Changes changes) {
        return new Scenario(
                base.seed(),
                members,
                base.resources(),
                base.maxLeaseNanos(),
                base.leaseNanos(),
                base.drift(),
                0,
                base.machines(),
                base.coarseWall(),
                base.encoded(),
                base.inOrder(),
                base.linkNanos(),
                base.tokensGrow() && base.heals(),
                base.heals(),
                base.safetyNanos(),
                List.copyOf(faults),
                changes);
    }

    /** Now and then with another longest lease, or a wider bound on the clocks, than the others. */
    private MemberList list(int[] of) {
        List<NodeId> ids = IntStream.of(of).mapToObj(Scenario::id).toList();
        Duration longest = Duration.ofNanos(base.maxLeaseNanos());
        Duration part = longest.dividedBy(2 + 2 * timesRandom.nextInt(2)); // a seal counts answers by the time before
        Duration shorter = part.compareTo(SHORTEST) < 0 ? SHORTEST : part;
        double drift = base.drift() + (random.nextInt(4) == 0 ? 0.1 : 0);
        MemberList drawn = new MemberList(ids, random.nextInt(3) == 0 ? shorter : longest, drift);
        return live ? new MemberList(ids, longest, base.drift()) : drawn; // times stay while nodes run
    }

    private int[] membersOf(int file) {
        return IntStream.range(0, members)
                .filter(node -> files.get(file).everyone().contains(Scenario.id(node)))
                .toArray();
    }

    private List<Integer> shuffled(int[] nodes) {
        List<Integer> order = new ArrayList<>(IntStream.of(nodes).boxed().toList());
        Collections.shuffle(order, new Random(random.nextLong()));
        return order;
    }

    /** Members that run move by themselves; a few are restarted meanwhile, and the new ones are started. */
    private void roll(int file, long from, boolean waits) {
        int before = faults.size();
        rollOut(file, from, waits);
        if (live) {
            faults.subList(before, faults.size())
                    .removeIf(each -> !(each instanceof Fault.Deploy deploy)
                            || deploy.file() < file
                            || (deploy.victim() < members
                                    && isThere(deploy.victim(), file)
                                    && liveRandom.nextInt(4) > 0));
            faults.add(new Fault.Store(from, file, waits));
        }
    }

    private boolean isThere(int node, int file) {
        return files.get(file - 1).everyone().contains(Scenario.id(node));
    }

    /** One after the other: as documented, the new ones first and each when the one before serves; or in any order and haste. */
    private void rollOut(int file, long from, boolean waits) {
        List<Integer> order = shuffled(membersOf(file));
        boolean documented = random.nextBoolean();
        if (documented) {
            order.sort(Comparator.reverseOrder());
        }
        long gap = documented ? quarantine + quarantine / 8 : random.nextLong(1 + quarantine / 2);
        int left = random.nextInt(4) == 0 ? random.nextInt(order.size()) : 0;
        long at = from;
        for (int node : order.subList(0, order.size() - left)) {
            deploy(at, node, file, waits);
            boolean isNew = node > before[before.length - 1] && file == 1;
            at += isNew && documented ? random.nextLong(20 * MILLI) : gap;
        }
        for (int client = members; client < members + clients; client++) {
            if (random.nextBoolean()) {
                deploy(random.nextLong(base.safetyNanos()), client, file, waits);
            }
        }
        if (random.nextInt(3) == 0) {
            undo(file, from + random.nextLong(Math.max(1, at - from + quarantine)), waits);
        }
    }

    /** Some or all go back, and now and then to and fro. */
    private void undo(int file, long from, boolean waits) {
        boolean again = random.nextBoolean();
        boolean all = random.nextBoolean();
        for (int node : shuffled(membersOf(file))) {
            if (all || random.nextBoolean()) {
                long at = from + random.nextLong(quarantine);
                boolean wasThere = files.get(file - 1).everyone().contains(Scenario.id(node));
                deploy(at, node, wasThere ? file - 1 : REMOVED, false);
                if (again && random.nextInt(3) > 0) {
                    deploy(at + random.nextLong(3 * quarantine), node, file, waits);
                }
            }
        }
    }

    /** Each is given one file or the other, at any time; perhaps it is corrected. */
    private void scatter() {
        boolean keeps = kind == Kind.TWO_CONTENTS;
        for (int node = 0; node < members; node++) {
            int file = 1 + random.nextInt(2);
            if (!files.get(file).everyone().contains(Scenario.id(node))) {
                file = 3 - file;
            }
            if (files.get(file).everyone().contains(Scenario.id(node)) && random.nextInt(6) > 0) {
                long at = random.nextLong(base.safetyNanos() / 2);
                deploy(at, node, file, false);
                if (!keeps && file == 2) {
                    boolean stays = files.get(1).everyone().contains(Scenario.id(node));
                    deploy(at + random.nextLong(base.safetyNanos() / 2), node, stays ? 1 : REMOVED, false);
                }
            }
        }
    }

    /** Who is in no list any more is stopped, at the right time or too early; another is lost in the middle. */
    private void removeAndLose() {
        MemberList end = files.get(kind == Kind.TWO_CHANGES || kind == Kind.HASTY_CHANGES ? 2 : 1)
                .current();
        for (int node = 0; node < members; node++) {
            if (!end.members().contains(Scenario.id(node)) && random.nextBoolean()) {
                deploy(random.nextLong(base.safetyNanos()), node, REMOVED, random.nextInt(4) > 0);
            }
        }
        if (random.nextInt(3) == 0) {
            long at = random.nextLong(base.safetyNanos());
            faults.add(new Fault.Crash(at, base.safetyNanos(), random.nextInt(members), random.nextBoolean(), false));
        }
    }

    private void deploy(long at, int node, int file, boolean waits) {
        if (at < base.safetyNanos()) {
            long down = 1 + random.nextLong(random.nextInt(4) == 0 ? 2 * quarantine : 20 * MILLI);
            faults.add(new Fault.Deploy(at, down, node, file, waits));
        }
    }
}
