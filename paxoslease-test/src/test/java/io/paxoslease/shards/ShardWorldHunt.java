package io.paxoslease.shards;

import io.paxoslease.shards.ShardWorld.Instance;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Work that takes seconds to end, while its instance leaves the group, and while it loses its leases and gets them back. */
public final class ShardWorldHunt implements Supplier<List<String>> {

    private static final int COUNT = 6;

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        try (ShardWorld world = new ShardWorld(1, COUNT, 0, 0)) {
            world.instances.values().forEach(Instance::start);
            world.pass(Duration.ofSeconds(6));
            leave(world);
            loseAndRegain(world);
            stopTheNode(world);
            return List.of();
        } catch (AssertionError wrong) {
            return List.of(String.valueOf(wrong.getMessage()));
        }
    }

    private static void leave(ShardWorld world) {
        Instance one = world.instance("m1");
        one.slow = true;
        one.stop();
        world.pass(Duration.ofSeconds(15));
    }

    /** The only one that takes part is cut off for longer than a lease lasts. */
    private static void loseAndRegain(ShardWorld world) {
        Instance one = world.instance("m3");
        world.instance("m2").stop();
        world.pass(Duration.ofSeconds(2));
        one.slow = true;
        one.cut(true);
        world.pass(Duration.ofSeconds(4));
        one.cut(false);
        world.pass(Duration.ofSeconds(15));
        if (!world.free().isEmpty()) {
            throw new AssertionError("shards that nobody owns: " + world.free());
        }
    }

    /** The node is stopped under its group. Another instance is waiting for shards. */
    private static void stopTheNode(ShardWorld world) {
        Instance other = world.instance("m1");
        other.start();
        world.pass(Duration.ofSeconds(2));
        Instance one = world.instance("m3");
        if (one.load() != COUNT) {
            throw new AssertionError("m3 owns %d shards".formatted(one.load()));
        }
        world.cell.node("m3").stop();
        world.pass(Duration.ofSeconds(1));
        if (other.load() != 0) {
            throw new AssertionError("a node that stopped has released %d shards under work".formatted(other.load()));
        }
        world.pass(Duration.ofSeconds(5));
        if (other.load() != COUNT) {
            throw new AssertionError("only %d shards have found another owner".formatted(other.load()));
        }
    }
}
