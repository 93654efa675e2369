package io.paxoslease.exploration;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Drives {@link StorageWorld}s through all schedules, or through random ones. */
final class StorageExplorer {

    /** What was found; the story of the first violation, if there was one. */
    record Result(
            String name,
            long states,
            boolean complete,
            int grants,
            @Nullable String violation,
            List<String> story) {

        @Override
        public String toString() {
            return "%s: %,d states%s, up to %d grants%s"
                    .formatted(
                            name,
                            states,
                            complete ? "" : " (cut off)",
                            grants,
                            violation == null ? "" : ", VIOLATION: " + violation);
        }
    }

    private final Supplier<StorageSetup> setups;
    private final StateHash hash = new StateHash();
    private final LongSet visited = new LongSet();

    StorageExplorer(Supplier<StorageSetup> setups) {
        this.setups = setups;
    }

    /** Visits every state, depth first; the same schedule always leads to the same state. */
    Result explore(long limit) {
        ArrayDeque<List<StorageWorld.Move>> open = new ArrayDeque<>();
        open.push(List.of());
        int grants = 0;
        while (!open.isEmpty() && visited.size() < limit) {
            List<StorageWorld.Move> path = new ArrayList<>(open.pop());
            StorageWorld world = replay(path, false);
            while (world.violation() == null && isNew(world)) {
                List<StorageWorld.Move> moves = world.moves();
                if (moves.isEmpty()) {
                    break;
                }
                for (StorageWorld.Move move : moves.subList(1, moves.size())) {
                    List<StorageWorld.Move> other = new ArrayList<>(path);
                    other.add(move);
                    open.push(other);
                }
                world.apply(moves.get(0));
                path.add(moves.get(0));
            }
            grants = Math.max(grants, world.grants);
            if (world.violation() != null) {
                return bad(path, world.violation());
            }
        }
        return new Result(setups.get().name, visited.size(), open.isEmpty(), grants, null, List.of());
    }

    private boolean isNew(StorageWorld world) {
        StateHash.Print print = hash.of(world.state());
        return visited.add(print.high() ^ Long.rotateLeft(print.low(), 17));
    }

    private Result bad(List<StorageWorld.Move> path, String violation) {
        return new Result(setups.get().name, visited.size(), false, 0, violation, replay(path, true).story);
    }

    private StorageWorld replay(List<StorageWorld.Move> path, boolean tells) {
        StorageWorld world = new StorageWorld(setups.get());
        world.tells = tells;
        path.forEach(world::apply);
        return world;
    }

    /** Random schedules; faults are rare, so that something comes to be held. */
    Result walk(int walks, long seed) {
        int grants = 0;
        for (int i = 0; i < walks; i++) {
            SplittableRandom random = new SplittableRandom(seed + i);
            StorageWorld world = new StorageWorld(setups.get());
            List<StorageWorld.Move> path = new ArrayList<>();
            List<StorageWorld.Move> moves = world.moves();
            while (world.violation() == null && !moves.isEmpty()) {
                StorageWorld.Move move = moves.get(random.nextInt(moves.size()));
                world.apply(move);
                path.add(move);
                moves = world.moves();
            }
            grants = Math.max(grants, world.grants);
            if (world.violation() != null) {
                return bad(path, world.violation() + " (walk " + (seed + i) + ")");
            }
        }
        return new Result(setups.get().name, walks, true, grants, null, List.of());
    }
}
