package io.paxoslease.samples.shards;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Who owns which shard, as the instances have reported it. Thread-safe. */
final class Owners implements Instance.Listener {

    /** The same as in {@code application.yml}. */
    static final int SHARDS = 16;

    private static final long PATIENCE_NANOS = 90_000_000_000L;

    private final Map<Integer, Owner> owners = new TreeMap<>();
    private final Map<Integer, Long> tokens = new TreeMap<>();
    private final Set<Instance> ready = new HashSet<>();
    private final Screen screen;
    private int refused;
    private String failure = "";

    private record Owner(Instance instance, long token) {}

    Owners(Screen screen) {
        this.screen = screen;
    }

    @Override
    public synchronized void reported(Instance instance, Report report) {
        int shard = report.shard();
        switch (report.kind()) {
            case READY -> {
                ready.add(instance);
                screen.line(instance.name(), "up");
            }
            case GRANTED -> granted(instance, shard, report.token());
            case REVOKED -> owners.remove(shard, new Owner(instance, report.token()));
            case REFUSED -> {
                refused++;
                screen.line(
                        instance.name(),
                        "order %d of shard %d REFUSED: its token is %d, and %d was seen"
                                .formatted(report.order(), shard, report.token(), report.latestToken()));
            }
        }
        notifyAll();
    }

    /** An instance that was paused may report late what is no longer true. Work that begins again under one lease has the same token. */
    private void granted(Instance instance, int shard, long token) {
        if (token >= tokens.getOrDefault(shard, 0L)) {
            tokens.put(shard, token);
            owners.put(shard, new Owner(instance, token));
        }
    }

    @Override
    public synchronized void ended(Instance instance, String why) {
        ready.remove(instance);
        owners.values().removeIf(owner -> owner.instance() == instance);
        failure = failure.isEmpty() ? why : failure;
        notifyAll();
    }

    /** How many orders the fence has refused. */
    synchronized int refused() {
        return refused;
    }

    synchronized long ownedBy(Instance instance) {
        return owners.values().stream()
                .filter(owner -> owner.instance() == instance)
                .count();
    }

    /** Such as {@code n1 5, n2 6, n3 5}. */
    synchronized String shares(Collection<Instance> instances) {
        return instances.stream()
                .map(instance -> instance.name() + " " + ownedBy(instance))
                .collect(Collectors.joining(", "));
    }

    /** Waits until these instances own all shards, however many each. */
    synchronized void awaitOwners(Collection<Instance> instances) throws InterruptedException {
        await("owners of all shards", () -> owned(instances) == SHARDS);
    }

    /** Waits until all of these instances are up and own the same number of shards, or one more. */
    synchronized void awaitBalance(Collection<Instance> instances) throws InterruptedException {
        int share = SHARDS / instances.size();
        await(
                "an equal share for each instance",
                () -> ready.containsAll(instances)
                        && owned(instances) == SHARDS
                        && instances.stream()
                                .mapToLong(this::ownedBy)
                                .allMatch(owned -> owned == share || owned == share + 1));
    }

    private synchronized long owned(Collection<Instance> instances) {
        return instances.stream().mapToLong(this::ownedBy).sum();
    }

    private synchronized void await(String what, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long left = PATIENCE_NANOS - (System.nanoTime() - start);
            if (!failure.isEmpty() || left <= 0) {
                throw new IllegalStateException("Waited for " + what + " in vain. " + failure);
            }
            wait(left / 1_000_000 + 1);
        }
    }
}
