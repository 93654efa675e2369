package io.paxoslease.spring.test;

import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.shards.ShardGroups;
import io.paxoslease.spring.shards.ShardSettings;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Shards under the control of a test: this application owns those that the test has granted and no others, through the production
 * code and an {@link InMemoryCell}. Provided by {@link AutoConfigureTestLeadership}. Call it from one thread, the test's.
 *
 * <p>{@link #grant} returns when the work on the shards has begun: components are open, and {@code @OnShardGranted} methods
 * have returned. {@code @OnShard} methods are called on threads of their own: await their effects. {@link #revoke} returns
 * when the work has ended: {@code @OnShard} methods and guarded calls have returned, then {@code @OnShardRevoked} methods, and
 * the shards are released.
 *
 * <p>The clock of leases stands still, except that granting and revoking a shard may move it by some
 * milliseconds. Work that has failed
 * starts again after a second of that clock, so call {@link #advance}.
 */
public final class TestShards {

    private static final Duration SHORT_STEP = Duration.ofMillis(2);
    private static final int SOME_STEPS = 10;
    private static final Duration STEP = Duration.ofMillis(20);
    /** Longer than an instance waits before it asks again for a shard that it did not get. */
    private static final int MANY_STEPS = 250;

    private static final long LOOK_MILLIS = 5;
    /** A check of the health that a group requires may take so long. */
    private static final long START_MILLIS = 5_000;

    private final InMemoryCell cell;
    private final PaxosLease node;
    private final Grants grants;
    private final UngrantedShards ungranted;
    private final ObjectProvider<ShardGroups> groups;
    private final RealTime realTime = new RealTime();

    TestShards(
            InMemoryCell cell,
            PaxosLease node,
            Grants grants,
            UngrantedShards ungranted,
            ObjectProvider<ShardGroups> groups) {
        this.cell = cell;
        this.node = node;
        this.grants = grants;
        this.ungranted = ungranted;
        this.groups = groups;
        ungranted.hold();
    }

    /**
     * Makes this application the owner of those shards, until they are revoked. Does nothing for shards that it owns already.
     *
     * @param group its name, the one in {@code paxoslease.shards.<group>.count}
     * @param indexes at least one
     * @throws IllegalArgumentException if there is no such group or shard
     * @throws IllegalStateException if the application does not participate in the group, for instance because its context is stopped; if
     *     these are more shards than {@code max-owned}; or if the work on a shard fails before it has begun
     */
    public void grant(String group, int... indexes) {
        ShardGroup subject = group(group);
        Set<Integer> wanted = check(subject, "grant", indexes);
        requireRunning(subject);
        requireRoom(subject, wanted);
        long failed = subject.counts().failed();
        Set<String> resources = resources(group, wanted);
        grants.grant(resources);
        ungranted.release(resources);
        try {
            awaitBegin(subject, wanted, failed);
        } catch (IllegalStateException e) {
            withdraw(group, wanted);
            throw e;
        }
    }

    /**
     * Grants all shards of the group.
     *
     * @throws IllegalArgumentException if there is no such group
     * @throws IllegalStateException as {@link #grant}
     */
    public void grantAll(String group) {
        grant(group, IntStream.range(0, group(group).count()).toArray());
    }

    /**
     * Takes those shards away from this application, as when they move to another instance: their threads and guarded calls are
     * interrupted, and the shards are released when the work has ended. Called by work on one of these shards, it does not wait for that
     * shard. Does nothing for shards that the application does not own.
     *
     * @param indexes at least one
     * @throws IllegalArgumentException if there is no such group or shard
     * @throws IllegalStateException if the work on a shard has not ended after ten seconds
     */
    public void revoke(String group, int... indexes) {
        Set<Integer> wanted = check(group(group), "revoke", indexes);
        withdraw(group, wanted);
        wanted.forEach(index -> awaitEnd(group, index));
        settle(group(group), wanted);
    }

    /**
     * Revokes all shards of the group.
     *
     * @throws IllegalArgumentException if there is no such group
     * @throws IllegalStateException as {@link #revoke}
     */
    public void revokeAll(String group) {
        Set<Integer> owned = held(group(group));
        withdraw(group, granted(group(group)));
        owned.forEach(index -> awaitEnd(group, index));
        settle(group(group), owned);
    }

    /**
     * Revokes all shards of all groups. Called after each test method.
     *
     * @throws IllegalStateException as {@link #revoke}
     */
    public void reset() {
        List<IllegalStateException> failures = new ArrayList<>();
        groups.ifAvailable(all -> all.names().forEach(name -> {
            try {
                revokeAll(name);
            } catch (IllegalStateException failure) { // the other groups are not for the next test either
                failures.add(failure);
            }
        }));
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** Moves the clock of leases, see {@link InMemoryCell#advance}: failed work starts again, leases that are not renewed expire. */
    public void advance(Duration time) {
        cell.advance(time);
    }

    /** The cell of this application, with two other nodes. The first of them holds the shards that are not granted. */
    public InMemoryCell cell() {
        return cell;
    }

    private ShardGroup group(String name) {
        ShardGroups all = groups.getIfAvailable();
        if (all == null) {
            throw new IllegalStateException(
                    "Shards are off in this test: set paxoslease.enabled=true, and do not exclude PaxosLeaseShardsAutoConfiguration");
        }
        return all.get(name);
    }

    private static Set<Integer> check(ShardGroup group, String method, int... indexes) {
        String name = Printable.name(group.name());
        if (indexes.length == 0) {
            throw new IllegalArgumentException("No shard is named: write %s(\"%s\", 0), or %sAll(\"%s\")"
                    .formatted(Printable.name(method), name, Printable.name(method), name));
        }
        Set<Integer> checked = new TreeSet<>();
        for (int index : indexes) {
            if (index < 0 || index >= group.count()) {
                throw new IllegalArgumentException(
                        "Group '%s' has shards 0 to %d, and none with index %d: name one of these, or set %s.count to more"
                                .formatted(name, group.count() - 1, index, ShardSettings.property(group.name())));
            }
            checked.add(index);
        }
        return checked;
    }

    private void requireRunning(ShardGroup group) {
        if (!realTime.await(START_MILLIS, group::isRunning)) {
            throw new IllegalStateException(
                    "This application does not participate in the group '%s': its context is stopped or not ready yet, or %s.requires-health-group is down"
                            .formatted(Printable.name(group.name()), ShardSettings.property(group.name())));
        }
    }

    private void requireRoom(ShardGroup group, Set<Integer> wanted) {
        Set<Integer> all = granted(group);
        all.addAll(wanted);
        int most = group.options().maxOwned();
        if (most > 0 && all.size() > most) {
            throw new IllegalStateException(
                    "%d shards of group '%s' would be granted, %s, and %s.max-owned is %d: revoke some first, or set it higher in this test"
                            .formatted(
                                    all.size(),
                                    Printable.name(group.name()),
                                    all,
                                    ShardSettings.property(group.name()),
                                    most));
        }
    }

    private Set<Integer> granted(ShardGroup group) {
        return IntStream.range(0, group.count())
                .filter(index -> grants.isGranted(UngrantedShards.resource(group.name(), index)))
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> resources(String group, Set<Integer> indexes) {
        return indexes.stream()
                .map(index -> UngrantedShards.resource(group, index))
                .collect(Collectors.toSet());
    }

    /** The shards whose leases this node holds: the work on them may be about to begin, or to end. */
    private Set<Integer> held(ShardGroup group) {
        Map<String, Integer> all = new LinkedHashMap<>();
        IntStream.range(0, group.count())
                .forEach(index -> all.put(UngrantedShards.resource(group.name(), index), index));
        Set<Integer> held = new TreeSet<>();
        if (node.monitor().isRunning()) {
            for (LeaseStatus lease : node.monitor().status(List.copyOf(all.keySet()))) {
                Integer index = all.get(lease.resource());
                if (index != null && isHeld(lease)) {
                    held.add(index);
                }
            }
        }
        return held;
    }

    private boolean isHeld(String group, int index) {
        return node.monitor().isRunning()
                && node.monitor()
                        .status(UngrantedShards.resource(group, index))
                        .filter(TestShards::isHeld)
                        .isPresent();
    }

    private static boolean isHeld(LeaseStatus lease) {
        return lease.state() == LeaseStatus.State.HELD || lease.state() == LeaseStatus.State.SUSPECT;
    }

    private boolean hasBegun(String group, int index) {
        Long token = node.monitor()
                .status(UngrantedShards.resource(group, index))
                .map(LeaseStatus::fencingToken)
                .orElse(null);
        return token != null
                && groups.getObject()
                        .lastBegun(group, index)
                        .filter(token::equals)
                        .isPresent();
    }

    /** @param failed how often work had failed before */
    private void awaitBegin(ShardGroup group, Set<Integer> wanted, long failed) {
        List<Integer> left = new ArrayList<>(wanted);
        for (int i = 0; i < MANY_STEPS; i++) {
            cell.advance(i == 0 ? Duration.ZERO : STEP);
            left.removeIf(index -> hasBegun(group.name(), index));
            if (left.isEmpty()) {
                return;
            }
            if (held(group).containsAll(left)) {
                awaitThreads(group, left, failed);
                return;
            }
            realTime.await(LOOK_MILLIS, () -> held(group).containsAll(left));
        }
        left.removeAll(held(group));
        throw new IllegalStateException("This application did not become the owner of shards %s of group '%s'. %s"
                .formatted(left, Printable.name(group.name()), left.isEmpty() ? "" : reason(group, left.get(0))));
    }

    private static String reason(ShardGroup group, int index) {
        String owner = owner(group, index);
        return owner.isEmpty()
                ? "Shard %d: %s"
                        .formatted(index, group.status().shards().get(index).reason())
                : "Node '%s' owns shard %d".formatted(Printable.name(owner), index);
    }

    /** As the group sees it; empty if that is not known. */
    private static String owner(ShardGroup group, int index) {
        return group.ownerOf(index).orElse("");
    }

    /** The leases are held: the work begins on its own threads, whatever the clock says. */
    private void awaitThreads(ShardGroup group, List<Integer> left, long failed) {
        List<Integer> failing = new ArrayList<>();
        realTime.await(RealTime.LIMIT_MILLIS, () -> {
            left.removeIf(index -> hasBegun(group.name(), index));
            if (group.counts().failed() > failed) {
                left.stream().filter(index -> !group.owns(index)).forEach(failing::add);
            }
            return left.isEmpty() || !failing.isEmpty();
        });
        if (!failing.isEmpty()) {
            throw new IllegalStateException(
                    "The work on shard %d of group '%s' failed before it had begun, in a ShardComponentFactory or an @OnShardGranted method: see the log"
                            .formatted(failing.get(0), Printable.name(group.name())));
        }
        if (!left.isEmpty()) {
            throw new IllegalStateException(
                    "The work on shard %d of group '%s' has not begun after ten seconds: check the thread paxoslease-shard-%s-%d. @OnShardGranted methods must return; let an @OnShard method work"
                            .formatted(
                                    left.get(0),
                                    Printable.name(group.name()),
                                    Printable.name(group.name()),
                                    left.get(0)));
        }
    }

    /** From now on these cannot be acquired, and the work on them is asked to end. */
    private void withdraw(String group, Set<Integer> indexes) {
        grants.refuse(resources(group, indexes));
        ungranted.hold();
        indexes.forEach(index -> giveUp(group, index));
    }

    private void giveUp(String group, int index) {
        node.admin().giveUp(UngrantedShards.resource(group, index));
    }

    private void awaitEnd(String group, int index) {
        ShardGroup subject = group(group);
        boolean isInside = isInCall(group, index);
        boolean hasEnded = realTime.await(RealTime.LIMIT_MILLIS, () -> {
            if (!isHeld(group, index)) {
                return true;
            }
            giveUp(group, index); // it may have been granted just now
            return isInside && !subject.owns(index);
        });
        if (!hasEnded) {
            throw new IllegalStateException(
                    "The work on shard %d of group '%s' has not ended after ten seconds: check the thread paxoslease-shard-%s-%d, and calls of callIfOwned. Work must return when its thread is interrupted"
                            .formatted(index, Printable.name(group), Printable.name(group), index));
        }
    }

    /** The next owner needs a moment, and the group sees it then. */
    private void settle(ShardGroup group, Set<Integer> revoked) {
        String self = node.monitor().options().nodeId();
        for (int i = 0;
                i < SOME_STEPS
                        && revoked.stream()
                                .anyMatch(index -> owner(group, index).equals(self));
                i++) {
            cell.advance(SHORT_STEP);
        }
    }

    private static boolean isInCall(String group, int index) {
        try {
            Shard current = Shard.current();
            return current.group().equals(group) && current.index() == index;
        } catch (IllegalStateException inNone) {
            return false;
        }
    }
}
