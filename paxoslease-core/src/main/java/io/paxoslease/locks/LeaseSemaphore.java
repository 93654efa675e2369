package io.paxoslease.locks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LeaseLostException;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.PendingLease;
import io.paxoslease.node.ResourceNames;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * At most so many holders at a time in the whole cell. Each permit is a {@link Lease} of its own, with its own fencing token: it is renewed
 * until it is released, and free again within about the lease time after its holder has crashed.
 * Thread-safe; nothing is sent until a permit is asked for.
 *
 * <pre>{@code
 * LeaseSemaphore imports = new LeaseSemaphore(locks, "imports", 3);
 * try (Lease permit = imports.acquire()) {
 *     permit.onLost((lost, reason) -> query.cancel());
 *     load(permit.fencingToken());
 * }
 * }</pre>
 *
 * <p><b>A permit belongs to no thread</b>: another thread may release it, and a thread that acquires twice has two permits. What is done
 * under a permit whose lease was lost may run beside the work of one holder too many: see {@link Lease#onLost} and {@link Lease#isHeld}.
 * Tokens order the holders of one permit ({@link Lease#resource()}), not those of the semaphore, which work side by side.
 *
 * <p><b>Order.</b> A free permit is granted at once. When there is none, the threads that wait are served in about the order in which they came,
 * whatever their node: one of them at a time waits for all permits, and the others wait for its place.
 *
 * <p><b>The number of permits</b> is not agreed on: each node uses as many as it was told. While nodes name different numbers, those with the
 * smaller one use the first permits only, and as many permits as the largest number says may be held. A smaller number
 * does not take permits away that are held.
 */
public final class LeaseSemaphore {

    /** The most permits of a semaphore. A thread that waits asks for each of them. */
    public static final int MOST_PERMITS = 1_000;

    /** How the resource names of permits begin: those of {@code imports} are {@code semaphore:imports/0} and so on. */
    public static final String PREFIX = "semaphore:";

    /** Permits are asked for one after the other, so that a node without a majority could otherwise take a second for each. */
    private static final Duration LONGEST_ASKING = Duration.ofSeconds(2);

    private final LeaseLocks locks;
    private final String name;
    private final List<String> permits;
    private final String place;
    /** The permit that was granted last, which is the likeliest to be free. A hint. */
    private volatile int likely;

    /**
     * The semaphore of that name.
     *
     * @param locks of the node, with the longest wait of {@link #acquire()}; {@link LeaseLocks#endWaits} ends waits for permits too
     * @param permits from 1 to {@value #MOST_PERMITS}, the same on every node
     * @throws IllegalArgumentException when the number is out of bounds, or the name is empty or too long
     */
    public LeaseSemaphore(LeaseLocks locks, String name, int permits) {
        if (Objects.requireNonNull(name, "name").isEmpty()) {
            throw new IllegalArgumentException("A semaphore needs a name that is the same on every node");
        }
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException("The semaphore '%s' must have 1 to %d permits, not %d"
                    .formatted(Printable.name(name), MOST_PERMITS, permits));
        }
        this.locks = Objects.requireNonNull(locks, "locks");
        this.name = name;
        this.place = ResourceNames.check(PREFIX + name + "/next");
        this.permits = IntStream.range(0, permits)
                .mapToObj(index -> ResourceNames.check(PREFIX + name + "/" + index))
                .toList();
        // Nodes that ask for their first permit at the same time begin with different ones.
        this.likely = Math.floorMod(locks.node.options().nodeId().hashCode(), permits);
    }

    /** The name that every node uses. */
    public String name() {
        return name;
    }

    /** How many permits this node uses. */
    public int permits() {
        return permits.size();
    }

    /**
     * Waits for a permit, at most for {@link LockOptions#waitTimeout()} if there is one.
     *
     * @return a permit that is renewed until it is released
     * @throws LeaseTimeoutException when none was granted in that time, or {@link LeaseLocks#endWaits} was called
     * @throws LeaseLostException when one was granted and had ended before this thread ran
     * @throws InterruptedException when this thread was interrupted; it has no permit
     * @throws io.paxoslease.PaxosLeaseException when the node is stopped
     */
    public Lease acquire() throws InterruptedException {
        Duration limit = locks.options.waitTimeout();
        return tryAcquire(AcquireOptions.builder().maxWait(limit).build()).orElseThrow(this::notGranted);
    }

    private LeaseTimeoutException notGranted() {
        String shown = Printable.name(name);
        return new LeaseTimeoutException(
                locks.isEnding()
                        ? "No permit of the semaphore '%s' is free at once, and this node no longer waits for one, because it is being stopped"
                                .formatted(shown)
                        : "No permit of the semaphore '%s' was granted within %s (waitTimeout): all %d are held, or no majority answers%s"
                                .formatted(
                                        shown,
                                        locks.options.waitTimeout(),
                                        permits.size(),
                                        locks.node.storeTrouble(permits.get(0))));
    }

    /**
     * Asks for a permit without waiting for one: for each in turn until one is granted, for two seconds at most. May find none free while
     * other threads ask at the same moment.
     *
     * @return a permit that is renewed until it is released; empty when none was free, or no majority answered
     * @throws InterruptedException as {@link #acquire()} does, which has the other exceptions too
     */
    public Optional<Lease> tryAcquire() throws InterruptedException {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Waits for a permit at most that long.
     *
     * @param wait zero or less asks without waiting, as {@link #tryAcquire()} does
     * @return a permit that is renewed until it is released; empty when none was granted in time
     * @throws InterruptedException as {@link #acquire()} does, which has the other exceptions too
     */
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return tryAcquire(AcquireOptions.builder().maxWait(wait).build());
    }

    /**
     * Asks for a permit with the given lease time, renewal and limit on the wait.
     *
     * @param how without a limit on the wait it waits until a permit is granted
     * @return empty when none was granted in time
     * @throws IllegalArgumentException when the lease time is out of bounds
     * @throws InterruptedException as {@link #acquire()} does, which has the other exceptions too
     */
    public Optional<Lease> tryAcquire(AcquireOptions how) throws InterruptedException {
        if (how.leaseTime() != null) {
            locks.node
                    .leaseTimes()
                    .check("The lease time of a permit of the semaphore " + Printable.name(name), how.leaseTime());
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Wait wait = new Wait(locks.node.clock(), how.maxWait());
        HeldLease permit = takeFree(how, wait);
        if (permit == null && wait.goesOn()) {
            permit = waitForPlace(how, wait);
        }
        return permit == null ? Optional.empty() : checked(permit).handOver();
    }

    private @Nullable HeldLease takeFree(AcquireOptions how, Wait wait) throws InterruptedException {
        AcquireOptions once = how.toBuilder().maxWait(Duration.ZERO).build();
        int first = likely;
        for (int i = 0; i < permits.size(); i++) {
            Duration left = wait.leftToAsk();
            int index = (first + i) % permits.size();
            PendingLease asked = left.isZero() ? null : locks.node.request(permits.get(index), once);
            HeldLease granted = asked == null ? null : asked.await(left);
            if (granted != null) {
                likely = index;
                return granted;
            }
        }
        return null;
    }

    /** The place at the head of the line is a lease as well. Nothing rests on it but the order. */
    private @Nullable HeldLease waitForPlace(AcquireOptions how, Wait wait) throws InterruptedException {
        PendingLease asked = locks.node.request(place, wait.goOn(AcquireOptions.renewing()));
        HeldLease head = asked == null ? null : locks.await(asked);
        if (head == null) {
            return null;
        }
        try {
            return wait.goesOn() ? waitForAny(wait.goOn(how)) : null;
        } finally {
            head.release();
        }
    }

    private @Nullable HeldLease waitForAny(AcquireOptions how) throws InterruptedException {
        List<PendingLease> asked = new ArrayList<>(permits.size());
        boolean complete = false;
        try {
            for (String permit : permits) {
                PendingLease pending = locks.node.request(permit, how);
                if (pending != null) {
                    asked.add(pending); // there is room
                }
            }
            complete = true;
        } finally {
            if (!complete) { // interrupted, or for want of memory
                asked.forEach(PendingLease::withdraw);
            }
        }
        return locks.awaitFirst(asked);
    }

    /** K1: the check is made when the thread runs again. */
    private HeldLease checked(HeldLease granted) {
        if (!granted.isHeld()) {
            granted.release();
            throw new LeaseLostException(
                    "A permit of the semaphore '%s' was granted and ended before its thread ran: it has none. Use a longer lease time"
                            .formatted(Printable.name(name)));
        }
        return granted;
    }

    @Override
    public String toString() {
        return "LeaseSemaphore[%s, %d permits]".formatted(Printable.name(name), permits.size());
    }

    /** One caller's wait, by the clock of its node. */
    private static final class Wait {

        private final NodeClock clock;
        private final @Nullable Duration limit;
        private final Moment start;

        Wait(NodeClock clock, @Nullable Duration limit) {
            this.clock = clock;
            this.limit = limit;
            this.start = clock.read().moment();
        }

        private Duration leftOf(Duration time) {
            long passed = start.nanosUntil(clock.read().moment());
            return Duration.ofNanos(Math.max(0, TimeUnit.NANOSECONDS.convert(time) - passed));
        }

        /** How long to ask for permits that may be free. */
        Duration leftToAsk() {
            return leftOf(
                    limit == null || limit.isZero() || limit.compareTo(LONGEST_ASKING) > 0 ? LONGEST_ASKING : limit);
        }

        boolean goesOn() {
            return limit == null || !leftOf(limit).isZero();
        }

        AcquireOptions goOn(AcquireOptions how) {
            return limit == null ? how : how.toBuilder().maxWait(leftOf(limit)).build();
        }
    }
}
