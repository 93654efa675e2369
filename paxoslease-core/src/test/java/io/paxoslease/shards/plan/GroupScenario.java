package io.paxoslease.shards.plan;

import static io.paxoslease.shards.plan.GroupModel.MILLI;
import static io.paxoslease.shards.plan.GroupModel.SECOND;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One group under everything that can happen to it, drawn by one seed: views up to seconds late, or without a participant, or none at
 * all; instances that start, stop, crash, hang, lose a lease or stand by; rollouts. Then all is well, and the group must recover.
 */
final class GroupScenario {

    private static final int STEPS = 60;
    private static final long HEALED = 15 * SECOND;
    private static final long SETTLED = 40 * 60 * SECOND;

    private final GroupModel model;
    private final int most;
    private final List<String> live = new ArrayList<>();
    private int started;
    private int revision = 1;

    private GroupScenario(long seed) {
        this.model = new GroupModel(seed, 1 + new Random(seed).nextInt(64));
        this.most = 1 + model.random.nextInt(8);
        if (model.random.nextInt(3) == 0) {
            model.longestViewDelay = 3 * SECOND;
        } else if (model.random.nextBoolean()) {
            model.longestViewDelay = 300 * MILLI;
        }
        model.wrongViews = model.random.nextInt(3) == 0 ? 10 : 0;
        model.expected = model.random.nextInt(3) == 0 ? most : 0;
        if (model.random.nextInt(4) == 0) {
            model.maxOwned = Math.max(1, model.count / most + model.random.nextInt(4) - 1);
        }
    }

    /** What went wrong, with the seed; empty if nothing did. */
    static List<String> run(long seed) {
        GroupScenario scenario = new GroupScenario(seed);
        scenario.disturb();
        scenario.heal();
        return scenario.model.violations.stream()
                .map(each -> "seed " + seed + " " + each)
                .toList();
    }

    private void disturb() {
        for (int step = 0; step < STEPS; step++) {
            step();
            long pause =
                    switch (model.random.nextInt(4)) {
                        case 0 -> 100 * MILLI;
                        case 1 -> 5 * SECOND;
                        case 2 -> 45 * SECOND;
                        default -> 1 + model.random.nextLong(SECOND);
                    };
            model.run(pause);
        }
    }

    private void step() {
        if (live.size() < most && (live.isEmpty() || model.random.nextInt(3) == 0)) {
            start();
            return;
        }
        ModelInstance one = model.instance(live.get(model.random.nextInt(live.size())));
        switch (model.random.nextInt(9)) {
            case 0 -> crash(one);
            case 1 -> {
                crash(one);
                model.run(model.random.nextLong(4 * SECOND));
                live.add(one.node);
                model.start(one.node, "r" + revision);
            }
            case 2 -> stop(one);
            case 3 -> one.hangs = !one.hangs;
            case 4 -> one.stall(model.random.nextLong(10 * SECOND));
            case 5 -> one.loseOne();
            case 6 -> one.tell(() -> one.participation.health(model.random.nextBoolean(), one.now()));
            case 7 -> {
                revision++;
                stop(one);
                start();
            }
            default -> model.run(70 * SECOND);
        }
    }

    private void start() {
        String node = "n" + started++;
        live.add(node);
        model.start(node, "r" + revision);
    }

    private void crash(ModelInstance one) {
        live.remove(one.node);
        model.crash(one);
    }

    /** A platform kills what does not end in time. */
    private void stop(ModelInstance one) {
        live.remove(one.node);
        one.tell(one.participation::leave);
        model.after(30 * SECOND, () -> model.crash(one));
    }

    private void heal() {
        model.wrongViews = 0;
        model.run(30 * SECOND);
        while (live.size() < most) {
            start();
        }
        for (String node : live) {
            ModelInstance one = model.instance(node);
            one.viewDelay = MILLI;
            one.hangs = false;
            one.endHungWork();
            one.tell(() -> one.participation.health(true, one.now()));
        }
        model.changed();
        model.run(11 * 60 * SECOND); // the longest standby
        model.run(HEALED);
        int room = live.stream().mapToInt(node -> model.maxOwned).sum();
        if (model.idle() != Math.max(0, model.count - room)) {
            model.violation("%d of %d shards without an owner: %s".formatted(model.idle(), model.count, model.loads()));
        }
        model.run(SETTLED);
        if (model.spread() > 1) {
            model.violation("loads differ: " + model.loads());
        }
        int grants = model.grants;
        model.run(20 * 60 * SECOND);
        if (model.grants != grants) {
            model.violation("shards still move");
        }
    }
}
