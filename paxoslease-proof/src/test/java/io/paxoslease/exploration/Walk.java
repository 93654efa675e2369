package io.paxoslease.exploration;

import io.paxoslease.exploration.Action.Deliver;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Random schedules, many and short; one that breaks a promise is cut down to what it needs. */
final class Walk {

    private static final int LONGEST = 90;
    /** How many walks more to look for a shorter schedule. */
    private static final int MORE = 500;

    private final Cell cell;
    private int tried;

    Walk(Cell cell) {
        this.cell = cell;
    }

    /**
     * The shortest of a few schedules that end in a violation, without a step that could be left out; null when there is
     * none.
     */
    @Nullable
    List<Action> search(int walks) {
        List<Action> best = null;
        int last = walks;
        for (int seed = 1; seed <= last; seed++) {
            List<Action> found = walk(new SplittableRandom(seed));
            if (found == null) {
                continue;
            }
            if (best == null) {
                tried = seed;
                last = seed + Math.min(seed, MORE);
            }
            List<Action> less = shrink(found);
            best = best == null || less.size() < best.size() ? less : best;
        }
        return best;
    }

    /** How many walks it took to find the first. */
    int tried() {
        return tried;
    }

    private @Nullable List<Action> walk(SplittableRandom random) {
        ExploredWorld world = new ExploredWorld(cell, null);
        Chance chance = new Chance(cell, random);
        List<Action> done = new ArrayList<>();
        for (int i = 0; i < LONGEST && world.violation() == null; i++) {
            Action action = chance.next(world);
            if (action == null) {
                return null;
            }
            if (world.apply(action)) {
                done.add(action);
                chance.happened(action);
            }
        }
        return world.violation() == null ? null : done;
    }

    /** Leaves out ever smaller parts as long as what remains still breaks a promise. */
    List<Action> shrink(List<Action> schedule) {
        List<Action> best = trimmed(schedule);
        for (int before = Integer.MAX_VALUE; best.size() < before; ) {
            before = best.size();
            for (int length = Math.max(1, best.size() / 2); length >= 1; length /= 2) {
                best = withoutParts(best, length);
            }
        }
        return best;
    }

    private List<Action> withoutParts(List<Action> schedule, int length) {
        List<Action> best = schedule;
        for (int from = 0; from + length <= best.size(); ) {
            List<Action> less = without(best, from, length, false);
            List<Action> renumbered = without(best, from, length, true);
            if (violates(less)) {
                best = trimmed(less);
            } else if (violates(renumbered)) {
                best = trimmed(renumbered);
            } else {
                from++;
            }
        }
        return best;
    }

    /** @param renumber a message that is not delivered stays under way, before the later ones of its kind */
    private static List<Action> without(List<Action> schedule, int from, int length, boolean renumber) {
        List<Action> less = new ArrayList<>(schedule.subList(0, from));
        List<Action> left = schedule.subList(from, from + length);
        for (Action action : schedule.subList(from + length, schedule.size())) {
            less.add(renumber && action instanceof Deliver later ? later.after(left) : action);
        }
        return less;
    }

    private boolean violates(List<Action> schedule) {
        ExploredWorld world = new ExploredWorld(cell, null);
        schedule.forEach(world::apply);
        return world.violation() != null;
    }

    /** Only what could be done, up to the violation. */
    private List<Action> trimmed(List<Action> schedule) {
        ExploredWorld world = new ExploredWorld(cell, null);
        List<Action> done = new ArrayList<>();
        for (Action action : schedule) {
            if (world.apply(action)) {
                done.add(action);
            }
        }
        return done;
    }
}
