package io.paxoslease.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.node.TenureGuard;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A group over production nodes in simulated time: members, clients, and work that is played. After each step it checks that a shard has one
 * owner and one worker at most, and that no lease was released under work.
 */
final class ShardWorld implements AutoCloseable {

    static final Duration LEASE_TIME = Duration.ofSeconds(3);
    private static final Duration MAX_LEASE_TIME = Duration.ofSeconds(5);
    private static final Duration STEP = Duration.ofMillis(20);
    private static final Duration STEP_WITHOUT_FAULTS = Duration.ofMillis(250);

    /** Work on one shard at one instance. */
    private final class Work implements TenureGuard.Part {
        final ShardTenure tenure;
        final Instance instance;

        @Nullable
        Long endsAt;

        Work(Instance instance, ShardTenure tenure) {
            this.instance = instance;
            this.tenure = tenure;
        }

        /** On the thread that ends the tenure. */
        @Override
        public void end() {
            synchronized (ShardWorld.this) {
                if (endsAt == null) {
                    long lasts = instance.slow ? 3_000 + random.nextInt(5_000) : random.nextInt(60);
                    endsAt = nowMillis + lasts;
                }
            }
        }

        @Override
        public @Nullable Thread thread() {
            return null;
        }
    }

    /** A process: its node, and its part in the group. */
    final class Instance {
        final String id;
        final List<Work> works = new ArrayList<>();
        ShardGroup group;
        boolean runs;
        boolean crashed;
        boolean cut;
        boolean suspended;
        boolean slow;
        String revision = "r1";

        Instance(String id) {
            this.id = id;
            this.group = newGroup();
        }

        private ShardGroup newGroup() {
            return ShardGroup.builder(cell.node(id), "invoices", count)
                    .options(ShardOptions.builder()
                            .revision(revision)
                            .maxOwned(maxOwned)
                            .build())
                    .build();
        }

        void start() {
            if (!runs && !crashed) {
                group = newGroup();
                group.start();
                runs = true;
            }
        }

        void stop() {
            if (runs) {
                group.stop(Duration.ZERO);
                runs = false;
            }
        }

        /** The process is killed. */
        void crash() {
            if (!crashed) {
                crashed = true;
                resume();
                cell.crash(id);
                group.stop(Duration.ZERO);
                runs = false;
                works.forEach(work -> work.tenure.guard().remove(work));
                works.clear();
            }
        }

        void restart() {
            if (crashed) {
                crashed = false;
                cell.restart(id);
                start();
            }
        }

        void cut(boolean isCut) {
            if (isCut != cut) {
                cut = isCut;
                if (isCut) {
                    cell.disconnect(id);
                } else {
                    cell.reconnect(id);
                }
            }
        }

        void suspend() {
            if (!crashed && !suspended) {
                suspended = true;
                cell.suspend(id);
            }
        }

        void resume() {
            if (suspended) {
                suspended = false;
                cell.resume(id);
            }
        }

        int load() {
            return group.ownedIndexes().size();
        }
    }

    final Random random;
    final int count;
    final int maxOwned;
    final InMemoryCell cell = InMemoryCell.of(LEASE_TIME, MAX_LEASE_TIME, "m1", "m2", "m3");
    final Map<String, Instance> instances = new LinkedHashMap<>();
    private long nowMillis;

    ShardWorld(long seed, int count, int clients, int maxOwned) {
        this.random = new Random(seed);
        this.count = count;
        this.maxOwned = maxOwned;
        for (String id : List.of("m1", "m2", "m3")) {
            instances.put(id, new Instance(id));
        }
        for (int i = 0; i < clients; i++) {
            String id = "c" + i;
            cell.addClient(id);
            instances.put(id, new Instance(id));
        }
    }

    Instance instance(String id) {
        return Objects.requireNonNull(instances.get(id), id);
    }

    Instance any() {
        List<Instance> all = List.copyOf(instances.values());
        return all.get(random.nextInt(all.size()));
    }

    /** Time goes on, and is checked at each step. */
    void pass(Duration time) {
        pass(time, STEP);
    }

    /** The same after {@link #heal}, in longer steps. */
    void rest(Duration time) {
        pass(time, STEP_WITHOUT_FAULTS);
    }

    private void pass(Duration time, Duration step) {
        long end = nowMillis + time.toMillis();
        while (nowMillis < end) {
            cell.advance(step);
            synchronized (this) {
                nowMillis += step.toMillis();
            }
            instances.values().forEach(this::play);
            check();
        }
    }

    private void play(Instance instance) {
        if (instance.crashed || instance.suspended) {
            return;
        }
        for (Iterator<Work> all = instance.works.iterator(); all.hasNext(); ) {
            Work work = all.next();
            Long endsAt;
            synchronized (this) {
                endsAt = work.endsAt;
            }
            if (endsAt != null && nowMillis >= endsAt) {
                all.remove();
                work.tenure.guard().remove(work);
            }
        }
        for (Shard shard : instance.group.owned()) {
            ShardTenure tenure = (ShardTenure) shard;
            if (instance.works.stream().noneMatch(work -> work.tenure == tenure)) {
                Work work = new Work(instance, tenure);
                if (tenure.guard().add(work)) {
                    instance.works.add(work);
                }
            }
        }
    }

    private void check() {
        Map<Integer, String> owners = new HashMap<>();
        Map<Integer, Work> workers = new HashMap<>();
        for (Instance each : instances.values()) {
            for (int index : each.group.ownedIndexes()) {
                String other = owners.put(index, each.id);
                assertThat(other)
                        .as("another owner of shard %d than %s, at %d ms", index, each.id, nowMillis)
                        .isNull();
            }
            assertThat(each.works.stream().map(work -> work.tenure.index()))
                    .as("shards on which %s works, at %d ms", each.id, nowMillis)
                    .doesNotHaveDuplicates();
            for (Work work : each.works) {
                assertThat(work.tenure.lease().toString())
                        .as("the lease of work at %s on %s, at %d ms", each.id, work.tenure, nowMillis)
                        .doesNotContain("RELEASED");
                if (work.tenure.lease().isHeld()) {
                    Work other = workers.put(work.tenure.index(), work);
                    assertThat(other)
                            .as("two work on shard %d", work.tenure.index())
                            .isNull();
                }
            }
        }
    }

    /** All faults end. */
    void heal() {
        for (Instance each : instances.values()) {
            each.slow = false;
            each.resume();
            each.cut(false);
            each.restart();
            each.start();
            each.group.health(true);
        }
    }

    /** The shards that no instance owns. */
    List<Integer> free() {
        List<Integer> free = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            int shard = index;
            if (instances.values().stream().noneMatch(each -> each.group.owns(shard))) {
                free.add(index);
            }
        }
        return free;
    }

    /** What each instance says, for the one who has to find out why. */
    String describe() {
        StringBuilder text = new StringBuilder();
        for (Instance each : instances.values()) {
            ShardGroupStatus status = each.group.status();
            text.append("%n%s %s %d shards, sees %s"
                    .formatted(each.id, status.state(), each.load(), status.participants()));
            status.shards().stream()
                    .filter(shard -> !Objects.equals(shard.owner(), shard.target())
                            || !shard.reason().equals("is where it should be"))
                    .limit(4)
                    .forEach(shard -> text.append("%n    %s".formatted(shard)));
        }
        return text.toString();
    }

    int spread() {
        int[] loads = instances.values().stream()
                .filter(each -> each.runs)
                .mapToInt(Instance::load)
                .sorted()
                .toArray();
        return loads[loads.length - 1] - loads[0];
    }

    long granted() {
        return instances.values().stream()
                .mapToLong(each -> each.group.counts().granted())
                .sum();
    }

    @Override
    public void close() {
        cell.close();
    }
}
