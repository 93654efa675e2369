package io.paxoslease.exploration;

import io.paxoslease.shards.ShardWorldHunt;
import io.paxoslease.shards.plan.GroupHunt;
import io.paxoslease.shards.plan.OrderOfViews;
import java.util.List;

/** The rules of shard groups, each weakened. They are advice, and no lease rests on them; without them work is interrupted for nothing, or never moves. */
final class ShardMutants {

    private static final String PLAN = "shards/plan/Plan.java";
    private static final String OWN = "shards/plan/OwnShards.java";
    private static final String ASKS = "shards/plan/Asks.java";
    private static final String HELD = "shards/HeldShards.java";
    private static final String ROSTER = "shards/plan/Roster.java";

    /** @param hunter a {@code Supplier} of what is wrong */
    record Entry(Mutant mutant, Class<?> hunter) {}

    private ShardMutants() {}

    static List<Entry> all() {
        return List.of(
                new Entry(
                        new Mutant("D1", "a plan depends on the order of the view")
                                .change(PLAN, "        Arrays.sort(seats, Comparator.comparing(Seat::node));\n", "")
                                .change(
                                        PLAN,
                                        "Long.compareUnsigned(\n"
                                                + "                                StableHash.weight(seeds[nodes[b]], NONE),"
                                                + " StableHash.weight(seeds[nodes[a]], NONE))",
                                        "0"),
                        OrderOfViews.class),
                new Entry(
                        new Mutant("D2", "a wish that the own plan does not know is obeyed")
                                .change(
                                        OWN,
                                        "return target != null && !target.equals(self) && target.equals(firstWaiters[shard]) ? target : null;",
                                        "return target == null ? null : firstWaiters[shard];"),
                        GroupHunt.class),
                new Entry(
                        new Mutant("D3", "a shard is released before the work on it has ended")
                                .change(
                                        OWN,
                                        "own.become(Phase.ENDING, outlook.now);",
                                        "own.become(Phase.ENDED, outlook.now);"),
                        GroupHunt.class),
                new Entry(
                        new Mutant("D4", "another number of shards is accepted")
                                .change(
                                        ROSTER,
                                        "isOutnumbered || startedAt.nanosUntil(known.startedBy) < CLEARLY_OLDER.toNanos()",
                                        "false"),
                        GroupHunt.class),
                new Entry(
                        new Mutant("D5", "a stalled view claims")
                                .change(ASKS, "plan == null || situation.isStalled() ||", "plan == null ||"),
                        GroupHunt.class),
                new Entry(
                        new Mutant("D6", "a lease is released while the work under it runs")
                                .change(
                                        HELD,
                                        "if (tenure != null && isFinished(shard, tenure)) {",
                                        "if (tenure != null && tenure.end() != null) {"),
                        ShardWorldHunt.class),
                new Entry(
                        new Mutant("D7", "work begins while work under a lease that was lost still runs")
                                .change(HELD, " && !lingering.containsKey(shard)", ""),
                        ShardWorldHunt.class),
                new Entry(
                        new Mutant("D8", "a node that stops releases shards under work")
                                .change(
                                        "node/NodeRuntime.java",
                                        "List<HeldLease> held = table.held();",
                                        "List<HeldLease> held = List.of();"),
                        ShardWorldHunt.class));
    }
}
