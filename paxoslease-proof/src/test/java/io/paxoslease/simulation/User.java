package io.paxoslease.simulation;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.Nomination;
import io.paxoslease.PaxosLeaseException;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Who uses a node: asks for leases, holds them, renews, withdraws, releases at inconvenient times. */
final class User {

    private static final long MILLI = 1_000_000;
    static final long HOLD_WHEN_HEALED = 10 * MILLI;
    private static final int MOST_OPEN = 4;
    /** Of so many cells, those of one remainder hand leases over to nodes that are named. */
    private static final int CELLS_PER_NOMINATING = 5;

    private static final int NOMINATING = 3;

    private final World world;
    private final SimulatedNode node;
    private final SplittableRandom random;
    private final long maxLease;
    /** Apart, so that what else is drawn does not depend on it; null: no lease of this cell is handed over to a node that is named. */
    private final @Nullable SplittableRandom nominations;

    private int open;
    private int grants;

    User(World world, SimulatedNode node) {
        this.world = world;
        this.node = node;
        this.random = world.random().split();
        this.maxLease = world.scenario().maxLeaseNanos();
        long seed = world.scenario().seed();
        this.nominations = !world.scenario().isFlease() && Math.floorMod(seed, CELLS_PER_NOMINATING) == NOMINATING
                ? new SplittableRandom(seed * Long.SIZE + node.index())
                : null;
    }

    void begin() {
        world.agenda().after(random.nextLong(maxLease / 4), this::live);
    }

    private void live() {
        if (world.isHealed()) {
            return;
        }
        Life life = node.life();
        Changes changes = world.scenario().changes();
        if (life != null && changes != null && changes.calm()) {
            node.whenAwake(life, () -> keepOne(life));
        } else if (life != null) {
            node.whenAwake(life, () -> ask(life));
        } else {
            open = 0;
        }
        world.agenda().after(1 + random.nextLong(2 * maxLease), this::live);
    }

    private void ask(Life life) {
        if (open < MOST_OPEN) {
            String resource =
                    world.resources().get(random.nextInt(world.resources().size()));
            long lease = 20 * MILLI + random.nextLong(node.longestLeaseNanos() - 20 * MILLI);
            CompletableFuture<Lease> answer = ask(life, resource, how(lease), lease);
            if (random.nextInt(6) == 0) {
                world.agenda().after(random.nextLong(maxLease), () -> node.whenAwake(life, () -> withdraw(answer)));
            }
        }
    }

    /** A lease that no other node asks for, until the end. */
    private void keepOne(Life life) {
        if (node.leases().isEmpty() && open == 0) {
            Duration lease = Duration.ofNanos(world.scenario().leaseNanos());
            ask(
                    life,
                    world.resources().get(node.index()),
                    AcquireOptions.builder().leaseTime(lease).build(),
                    lease.toNanos());
        }
    }

    private void withdraw(CompletableFuture<Lease> answer) {
        if (answer.cancel(false)) {
            world.statistics().met(Situation.WITHDRAWAL);
            world.note(node.index(), "withdraws");
        }
    }

    private AcquireOptions how(long lease) {
        AcquireOptions how = random.nextInt(3) == 0
                ? AcquireOptions.fixed(Duration.ofNanos(lease))
                : random.nextInt(4) == 0
                        ? AcquireOptions.renewing()
                        : AcquireOptions.builder()
                                .leaseTime(Duration.ofNanos(lease))
                                .build();
        return switch (random.nextInt(5)) {
            case 0 -> how.toBuilder().maxWait(Duration.ZERO).build();
            case 1, 2 ->
                how.toBuilder()
                        .maxWait(Duration.ofNanos(random.nextLong(2 * maxLease)))
                        .build();
            default -> how;
        };
    }

    /** Asks without a limit on the wait. */
    void want(String resource) {
        long lease = world.scenario().leaseNanos();
        ask(node.liveLife(), resource, AcquireOptions.renewing(), lease);
        node.look();
    }

    private CompletableFuture<Lease> ask(Life life, String resource, AcquireOptions how, long leaseNanos) {
        open++;
        if (world.trace().isOn()) {
            world.note(node.index(), "wants " + resource + ": " + how);
        }
        CompletableFuture<Lease> answer = node.process().acquire(resource, how);
        answer.whenComplete((lease, failure) -> {
            open--;
            if (failure instanceof PaxosLeaseException && failure.getCause() != null) {
                world.broken(node.index(), String.valueOf(failure.getCause()));
            }
            if (lease != null && !life.isOver()) {
                hold(life, lease, leaseNanos);
            }
        });
        return answer;
    }

    private void hold(Life life, Lease lease, long leaseNanos) {
        grants++;
        node.track(lease);
        if (world.isHealed()) {
            later(life, HOLD_WHEN_HEALED, () -> release(life, lease));
            return;
        }
        Changes changes = world.scenario().changes();
        if (changes != null && changes.calm()) {
            return;
        }
        long third = leaseNanos / 3;
        switch (random.nextInt(10)) {
            case 0 -> {}
            case 1, 2 -> later(life, third + random.nextLong(2 * MILLI), () -> release(life, lease));
            case 3 -> later(life, random.nextLong(1 + 2 * MILLI), () -> release(life, lease));
            default -> later(life, random.nextLong(3 * maxLease), () -> release(life, lease));
        }
        if (random.nextInt(3) == 0) {
            later(life, random.nextLong(leaseNanos), () -> renew(life, lease));
        }
    }

    private void renew(Life life, Lease lease) {
        long time = MILLI + random.nextLong(node.longestLeaseNanos() - MILLI);
        lease.renew(Duration.ofNanos(time)).whenComplete((extended, failure) -> {
            if (Boolean.TRUE.equals(extended)) {
                world.statistics().met(Situation.RENEWAL_BY_CALL);
            }
        });
        if (random.nextInt(3) == 0) {
            later(life, random.nextLong(2 * MILLI), () -> release(life, lease));
        }
    }

    void release(Life life, Lease lease) {
        if (lease.isHeld() && node.memory().isRenewing(lease.resource())) {
            world.statistics().met(Situation.RELEASE_DURING_RENEWAL);
        }
        String successor = successor();
        if (successor == null) {
            world.note(node.index(), "releases " + lease);
            lease.release();
            node.released(lease);
        } else if (Objects.requireNonNull(nominations).nextBoolean()) {
            releaseTo(lease, successor);
        } else {
            lease.nominate(successor).whenComplete((nomination, failure) -> {
                if (nomination == Nomination.QUEUED) {
                    world.statistics().met(Situation.NOMINATED);
                }
                node.whenAwake(life, () -> releaseTo(lease, successor));
            });
        }
    }

    private void releaseTo(Lease lease, String successor) {
        world.note(node.index(), "releases " + lease + " to " + successor);
        lease.releaseTo(successor);
        node.released(lease);
    }

    /** Any other node, for half of the releases; null: none is named. */
    private @Nullable String successor() {
        int nodes = world.scenario().nodes();
        if (nominations == null || world.isHealed() || nodes == 1 || nominations.nextBoolean()) {
            return null;
        }
        int other = (node.index() + 1 + nominations.nextInt(nodes - 1)) % nodes;
        return Scenario.id(other).name();
    }

    private void later(Life life, long nanos, Runnable task) {
        world.agenda().after(nanos, () -> node.whenAwake(life, task));
    }

    int grants() {
        return grants;
    }
}
