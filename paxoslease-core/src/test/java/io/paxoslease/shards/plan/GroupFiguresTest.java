package io.paxoslease.shards.plan;

import static io.paxoslease.shards.plan.GroupModel.MILLI;
import static io.paxoslease.shards.plan.GroupModel.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What shard groups cost in moves and in time without an owner, in the model: decision 64 has the figures. */
class GroupFiguresTest {

    private static final int SHARDS = 256;
    private static final int INSTANCES = 8;
    private static final int SEEDS = 1;

    private static double median(List<Long> nanos) {
        return quantile(nanos, 0.5);
    }

    private static double quantile(List<Long> nanos, double part) {
        List<Long> sorted = new ArrayList<>(nanos);
        Collections.sort(sorted);
        return sorted.get((int) ((sorted.size() - 1) * part)) / (double) MILLI;
    }

    private static void report(String figure, List<Long> nanos) {
        System.out.printf(
                Locale.ROOT,
                "%s: median %.1f ms, p99 %.1f ms, worst %.1f ms of %d%n",
                figure,
                median(nanos),
                quantile(nanos, 0.99),
                quantile(nanos, 1),
                nanos.size());
    }

    private static void assertWhole(GroupModel model) {
        assertThat(model.violations).isEmpty();
        assertThat(model.idle()).isZero();
    }

    @Test
    void aGracefulStopCostsLittleMoreThanTheEndOfTheWork() {
        List<Long> unowned = new ArrayList<>();
        for (long seed = 0; seed < 4 * SEEDS; seed++) {
            GroupModel model = GroupModel.settled(seed, SHARDS, INSTANCES);
            model.forgetFigures();
            model.leave("n3");
            model.run(5 * SECOND);
            assertThat(model.grants).isEqualTo(SHARDS / INSTANCES);
            assertWhole(model);
            unowned.addAll(model.unowned);
        }
        report("unowned at a graceful stop, work of 10 ms", unowned);
        assertThat(median(unowned)).isLessThan(20);
        assertThat(quantile(unowned, 0.99)).isLessThan(200);
    }

    @Test
    void aCrashCostsTheLeaseTime() {
        List<Long> unowned = new ArrayList<>();
        for (long seed = 0; seed < 4 * SEEDS; seed++) {
            GroupModel model = GroupModel.settled(seed, SHARDS, INSTANCES);
            model.forgetFigures();
            model.crash(model.instance("n3"));
            model.run(10 * SECOND);
            assertThat(model.grants).isEqualTo(SHARDS / INSTANCES);
            assertWhole(model);
            unowned.addAll(model.unowned);
        }
        report("unowned after a crash, lease time 3 s", unowned);
        assertThat(quantile(unowned, 1)).isLessThan(3_100);
    }

    @Test
    void aRolloutMovesLittleMoreThanEachShardOnce() {
        assertThat(rollout("r2", true, 20 * SECOND)).isLessThanOrEqualTo(1.05);
        assertThat(rollout("r2", false, 20 * SECOND)).isLessThanOrEqualTo(1.4);
        assertThat(rollout("r1", true, 45 * SECOND)).isLessThanOrEqualTo(1.05);
        assertThat(rollout("r1", false, 45 * SECOND)).isLessThanOrEqualTo(1.3);
    }

    /** The moves for each shard, the most of all seeds. */
    private static double rollout(String revision, boolean isSurge, long longestStep) {
        double most = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            GroupModel model = GroupModel.settled(seed, SHARDS, INSTANCES);
            model.forgetFigures();
            for (int i = 0; i < INSTANCES; i++) {
                long step = longestStep / 2 + model.random.nextLong(longestStep / 2);
                if (isSurge) {
                    model.start("x" + i, revision);
                    model.run(step);
                    model.leave("n" + i);
                    model.run(SECOND);
                } else {
                    model.leave("n" + i);
                    model.run(step / 3);
                    model.start("x" + i, revision);
                    model.run(step - step / 3);
                }
            }
            model.run(12 * 60 * SECOND);
            assertWhole(model);
            assertThat(model.spread()).isLessThanOrEqualTo(1);
            assertThat(model.withdrawn).isZero();
            most = Math.max(most, model.grants / (double) SHARDS);
        }
        System.out.printf(Locale.ROOT, "moves in a rollout to %s, surge %s: %.3f N%n", revision, isSurge, most);
        return most;
    }

    @Test
    void oneThatJoinsGetsItsShareWithinSecondsOnceItHasSettled() {
        for (int m : new int[] {3, 7}) {
            GroupModel model = GroupModel.settled(m, 1_024, m);
            model.forgetFigures();
            model.start("x", "r1");
            model.run(60 * SECOND - 1);
            assertThat(model.grants).isZero();
            model.run(10 * SECOND);
            System.out.printf("moves when one joins %d, 1,024 shards: %d%n", m, model.grants);
            assertThat(model.grants).isLessThanOrEqualTo((1_024 + m) / (m + 1));
            assertThat(model.spread()).isLessThanOrEqualTo(1);
            assertThat(model.withdrawn).isZero();
            assertWhole(model);
        }
    }

    @Test
    void aStartGrantsEachShardOnce() {
        for (int expected : new int[] {0, INSTANCES}) {
            for (long seed = 0; seed < 2 * SEEDS; seed++) {
                GroupModel model = new GroupModel(seed, SHARDS);
                model.expected = expected;
                for (int i = 0; i < INSTANCES; i++) {
                    model.start("n" + i, "r1");
                    model.run(model.random.nextLong(400 * MILLI));
                }
                model.run(120 * SECOND);
                assertWhole(model);
                assertThat(model.spread()).isLessThanOrEqualTo(1);
                assertThat(model.grants).isLessThanOrEqualTo(SHARDS * 11 / 10);
            }
        }
    }

    @Test
    void aCrashLoopMovesAShareOnceAndNothingAfterThat() {
        for (int life : new int[] {5, 40}) {
            GroupModel model = GroupModel.settled(life, SHARDS, INSTANCES);
            model.forgetFigures();
            model.crash(model.instance("n3"));
            model.run(10 * SECOND);
            assertThat(model.grants).isLessThanOrEqualTo(SHARDS / INSTANCES);
            model.forgetFigures();
            for (long end = model.time + 600 * SECOND; model.time < end; ) {
                model.start("n3", "r1");
                model.run(life * SECOND / 2 + model.random.nextLong(life * SECOND / 2));
                model.crash(model.instance("n3"));
                model.run(model.random.nextLong(8 * SECOND));
            }
            assertThat(model.grants).as("lives of up to %d s", life).isZero();
            assertWhole(model);
        }
    }

    @Test
    void whatMaxOwnedLeavesOverIsOwnedWhenThereIsRoomAgain() {
        GroupModel model = new GroupModel(1, 32);
        model.maxOwned = 10;
        model.start("n0", "r1");
        model.start("n1", "r1");
        model.run(30 * SECOND);
        assertThat(model.loads()).containsOnly(10);
        model.start("n2", "r1");
        model.start("n3", "r1");
        model.run(120 * SECOND);
        assertThat(model.spread()).isLessThanOrEqualTo(1);
        assertWhole(model);
    }

    /** Work that does not end keeps its shards until the process does; the others are given up at once. */
    @Test
    void workThatHangsKeepsItsShards() {
        GroupModel model = GroupModel.settled(2, 32, 4);
        ModelInstance one = model.instance("n1");
        one.hangs = true;
        model.leave("n1");
        model.run(30 * SECOND);
        assertThat(one.running.cardinality()).isEqualTo(8);
        assertThat(model.idle()).isZero();
        model.crash(one);
        model.run(4 * SECOND);
        assertWhole(model);
        assertThat(model.spread()).isLessThanOrEqualTo(1);
    }
}
