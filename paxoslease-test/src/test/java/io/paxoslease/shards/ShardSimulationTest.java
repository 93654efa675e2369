package io.paxoslease.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.shards.ShardWorld.Instance;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Groups over production nodes under faults: crashes, restarts, partitions, pauses, stops, slow hand-overs, instances that are ill, two
 * versions. No shard is on two instances, none is released under its work, and after healing each is owned, evenly, and stays.
 */
class ShardSimulationTest {

    private static final Duration HEALED = Duration.ofSeconds(45);
    /** Instances stand by for ten minutes at most, and as long two revisions hold balance up. */
    private static final Duration SETTLED = Duration.ofMinutes(13);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5})
    void noShardIsOnTwoInstancesWhateverHappens(long seed) {
        try (ShardWorld world = new ShardWorld(seed, 12 + (int) (seed % 4) * 20, (int) (seed % 5), 0)) {
            world.instances.values().forEach(Instance::start);
            world.pass(Duration.ofSeconds(5));
            boolean twoRevisions = seed % 3 == 0;
            for (int i = 0; i < 40; i++) {
                disturb(world, twoRevisions);
                world.pass(Duration.ofMillis(100 + world.random.nextInt(2_500)));
            }
            world.heal();
            world.rest(HEALED);
            assertThat(world.free()).as(world::describe).isEmpty();
            world.rest(SETTLED);
            assertThat(world.free()).as(world::describe).isEmpty();
            assertThat(world.spread()).as(world::describe).isLessThanOrEqualTo(1);
            long granted = world.granted();
            world.rest(Duration.ofSeconds(30));
            assertThat(world.granted()).as("nothing moves at rest").isEqualTo(granted);
        }
    }

    @Test
    void aThousandShardsHaveOwnersAgainAfterAStopAndACrash() {
        try (ShardWorld world = new ShardWorld(1, 1_024, 5, 0)) {
            world.instances.values().forEach(Instance::start);
            world.rest(Duration.ofSeconds(10));
            assertThat(world.free()).as(world::describe).isEmpty();
            assertThat(world.spread()).as(world::describe).isLessThanOrEqualTo(1);
            long granted = world.granted();
            world.instance("c0").stop();
            world.instance("c1").crash();
            world.rest(Duration.ofSeconds(5));
            assertThat(world.free()).as(world::describe).isEmpty();
            assertThat(world.spread()).as(world::describe).isLessThanOrEqualTo(1);
            assertThat(world.granted() - granted)
                    .as("only what they owned moves")
                    .isEqualTo(2 * 1_024 / 8);
        }
    }

    @Test
    void slowWorkKeepsItsShard() {
        assertThat(new ShardWorldHunt().get()).isEmpty();
    }

    private static void disturb(ShardWorld world, boolean twoRevisions) {
        Instance one = world.any();
        switch (world.random.nextInt(12)) {
            case 0, 1 -> one.stop();
            case 2, 3 -> one.start();
            case 4 -> one.crash();
            case 5 -> one.restart();
            case 6 -> one.cut(true);
            case 7 -> one.cut(false);
            case 8 -> one.suspend();
            case 9 -> one.resume();
            case 10 -> one.slow = !one.slow;
            default -> {
                one.group.health(world.random.nextBoolean());
                if (twoRevisions) {
                    one.stop();
                    one.revision = one.revision.equals("r1") ? "r2" : "r1";
                }
            }
        }
    }
}
