package io.paxoslease.exploration;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Picks what happens next in one walk. Every walk has habits of its own: which kinds of things happen often, rarely or
 * never, how fast the network is compared with time, and whose messages of which kind are held back for long.
 */
final class Chance {

    private static final int[] WEIGHTS = {0, 1, 1, 3, 8};
    private static final int[] PROMPTNESS = {50, 80, 95, 100};
    private static final int[] HELD_BACK = {0, 0, 5, 15};
    private static final int LATE_KINDS = 20;
    private static final int OF_LATE_KINDS = 80;
    private static final int PROMPT_WEIGHT = 4;
    private static final Action TICK = new Action.Tick();

    private final Cell cell;
    private final SplittableRandom random;
    private final Action[] actions;
    private final int[] weights;
    private final boolean[] possible;
    private final int tick;
    private final int late;
    private final int repeat;
    private final int promptness;
    private final int heldBack;
    private final long salt;
    /** How much of the story has been told. */
    private int told;

    Chance(Cell cell, SplittableRandom random) {
        this.cell = cell;
        this.random = random;
        int[] ofKind = new int[Locals.ACTIONS];
        for (int code = 0; code < ofKind.length; code++) {
            ofKind[code] = code == Locals.SLEEP && cell.sleeps == 0 ? 0 : weight();
        }
        ofKind[Locals.ACQUIRE] = Math.max(1, ofKind[Locals.ACQUIRE]);
        if (!cell.story.isEmpty()) {
            int pace = 1 + weight();
            for (int code = 0; code < ofKind.length; code++) {
                ofKind[code] = code == Locals.WAKE ? ofKind[code] : pace;
            }
        }
        actions = new Action[ofKind.length * cell.size()];
        weights = new int[actions.length];
        possible = new boolean[actions.length];
        for (int i = 0; i < actions.length; i++) {
            actions[i] = Locals.action(i % ofKind.length, i / ofKind.length);
            weights[i] = ofKind[i % ofKind.length];
        }
        tick = 1 + weight();
        late = 1 + weight();
        repeat = cell.repetitions == 0 ? 0 : weight();
        promptness = PROMPTNESS[random.nextInt(PROMPTNESS.length)];
        heldBack = HELD_BACK[random.nextInt(HELD_BACK.length)];
        salt = random.nextLong();
    }

    private int weight() {
        return WEIGHTS[random.nextInt(WEIGHTS.length)];
    }

    /** Null when nothing can happen any more. */
    @Nullable
    Action next(ExploredWorld world) {
        Flight prompt = null;
        int late = 0;
        for (Flight flight : world.network) {
            if (!world.arrives(flight)) {
                continue;
            }
            if (isHeldBack(flight)) {
                late++;
            } else if (prompt == null) {
                prompt = flight;
            }
        }
        if (prompt != null && random.nextInt(100) < promptness) {
            return world.delivery(prompt, false);
        }
        int total = (prompt == null ? 0 : PROMPT_WEIGHT) + (late == 0 ? 0 : this.late);
        total += world.network.isEmpty() ? 0 : repeat;
        total += isTickNext(world) ? tick : 0;
        for (int i = 0; i < actions.length; i++) {
            possible[i] = weights[i] > 0 && isNext(actions[i]) && world.isPossible(actions[i]);
            total += possible[i] ? weights[i] : 0;
        }
        return total == 0 ? null : pick(world, prompt, late, random.nextInt(total));
    }

    private boolean isNext(Action action) {
        boolean free = cell.story.isEmpty() || action instanceof Action.Wake;
        return free || (told < cell.story.size() && cell.story.get(told).equals(action));
    }

    /** When the story tells how time passes, it does not pass otherwise. */
    private boolean isTickNext(ExploredWorld world) {
        return world.isPossible(TICK) && (!cell.story.contains(TICK) || isNext(TICK));
    }

    void happened(Action action) {
        if (told < cell.story.size() && cell.story.get(told).equals(action)) {
            told++;
        }
    }

    private Action pick(ExploredWorld world, @Nullable Flight prompt, int late, int draw) {
        int left = draw;
        for (int i = 0; i < actions.length; i++) {
            left -= possible[i] ? weights[i] : 0;
            if (left < 0) {
                return actions[i];
            }
        }
        if (prompt != null) {
            left -= PROMPT_WEIGHT;
            if (left < 0) {
                return world.delivery(prompt, false);
            }
        }
        left -= late == 0 ? 0 : this.late;
        if (left < 0) {
            return world.delivery(heldBack(world, random.nextInt(late)), false);
        }
        left -= world.network.isEmpty() ? 0 : repeat;
        if (left < 0) {
            return world.delivery(world.network.get(random.nextInt(world.network.size())), true);
        }
        return TICK;
    }

    private Flight heldBack(ExploredWorld world, int nth) {
        int n = 0;
        for (Flight flight : world.network) {
            if (world.arrives(flight) && isHeldBack(flight) && n++ == nth) {
                return flight;
            }
        }
        throw new IllegalStateException("No message number " + nth + " is held back in " + cell.name);
    }

    private boolean isHeldBack(Flight flight) {
        if (!cell.late.isEmpty()) {
            String kind = flight.from() + " " + flight.kind();
            if (cell.late.contains(kind) || cell.late.contains(kind + " " + flight.to())) {
                return true;
            }
        }
        boolean isLateKind = percent(flight.kind().hashCode() * 31 + flight.from()) < LATE_KINDS;
        return percent(~flight.sequence()) < (isLateKind ? OF_LATE_KINDS : heldBack);
    }

    private int percent(int what) {
        long mixed = (salt ^ (what * 0xD6E8FEB86659FD93L)) * 0x9E3779B97F4A7C15L;
        return (int) ((mixed ^ (mixed >>> 29)) >>> 33) % 100;
    }
}
