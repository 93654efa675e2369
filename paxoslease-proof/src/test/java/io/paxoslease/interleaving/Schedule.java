package io.paxoslease.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Decides, from one seed, which thread goes on at each point. Half of the schedules walk at random, each with a habit of its own
 * of staying with the present thread; the others give threads priorities and take them away at a few random points, which finds
 * what needs few switches at the right places (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding
 * Bugs", 2010). Either way a thread that goes on for long is set back, so that one that waits by spinning does not stop the others.
 */
final class Schedule {

    private static final int LONGEST_RUN = 400;
    private static final int[] STAYS = {2, 4, 10, 30, 100};
    private static final int LONGEST_LENGTH_BITS = 10;
    private static final int SHORTEST_LENGTH_BITS = 5;
    private static final int MOST_CHANGES = 4;

    private final SplittableRandom random;
    private final boolean byPriority;
    private final int stay;
    private final List<Integer> changes = new ArrayList<>();
    /** Of tasks, by number: the higher goes first. */
    private final List<Integer> priorities = new ArrayList<>();

    private int lowest;
    private int points;
    private int run;
    private boolean calm = true;

    Schedule(long seed) {
        this.random = new SplittableRandom(seed);
        this.byPriority = random.nextBoolean();
        this.stay = STAYS[random.nextInt(STAYS.length)];
        int length = 1 << (SHORTEST_LENGTH_BITS + random.nextInt(LONGEST_LENGTH_BITS - SHORTEST_LENGTH_BITS + 1));
        int count = 1 + random.nextInt(MOST_CHANGES);
        for (int i = 0; i < count; i++) {
            changes.add(random.nextInt(length));
        }
    }

    /** Called for tasks in order of their numbers. */
    void added() {
        priorities.add(1 + random.nextInt(Integer.MAX_VALUE - 1));
    }

    /** While it is calm, threads go on for as long as they can: what only prepares a meeting need not vary. */
    void calm(boolean from) {
        calm = from;
    }

    /**
     * Which goes on, of those that can.
     *
     * @param present the one that has gone on so far; it may not be able to any more
     */
    Task next(List<Task> able, Task present) {
        boolean canStay = able.contains(present);
        boolean tired = ++run > LONGEST_RUN;
        if (calm && !tired) {
            return canStay ? present : able.get(0);
        }
        points++;
        Task next = byPriority ? byPriority(able, present, tired) : byChance(able, present, canStay && !tired);
        if (next != present || tired) {
            run = 0;
        }
        return next;
    }

    private Task byChance(List<Task> able, Task present, boolean mayStay) {
        if (mayStay && (able.size() == 1 || random.nextInt(stay) != 0)) {
            return present;
        }
        return able.get(random.nextInt(able.size()));
    }

    private Task byPriority(List<Task> able, Task present, boolean tired) {
        if (tired || changes.contains(points)) {
            priorities.set(present.number, --lowest);
        }
        Task best = able.get(0);
        for (Task task : able) {
            if (priorities.get(task.number) > priorities.get(best.number)) {
                best = task;
            }
        }
        return best;
    }
}
