package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.shell.Recording.Belief;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** One user of one node: takes leases that others want too, uses them in one way or another, and tells what it saw. */
final class RecordedLoad {

    private static final int RESOURCES = 4;
    private static final int LOOKS = 20;
    private static final int CYCLE = 24;
    private static final long STEP_NANOS = 500_000;
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final PaxosLease node;
    private final Collection<Belief> beliefs;
    private final SplittableRandom random;
    private int uses;

    RecordedLoad(PaxosLease node, Collection<Belief> beliefs, SplittableRandom random) {
        this.node = node;
        this.beliefs = beliefs;
        this.random = random;
    }

    /** How a user treats a lease. */
    private enum Use {
        LOOK,
        RENEW,
        KEEP,
        LET_EXPIRE
    }

    Void run(BooleanSupplier goOn) throws InterruptedException {
        while (goOn.getAsBoolean()) {
            Use use = nextUse();
            AcquireOptions how = use == Use.LET_EXPIRE ? AcquireOptions.fixed(SHORT) : AcquireOptions.renewing();
            try {
                Optional<Lease> lease = node.tryAcquire(
                        "r" + random.nextInt(RESOURCES),
                        how.toBuilder().maxWait(patience()).build());
                if (lease.isPresent()) {
                    use(lease.get(), use);
                }
            } catch (PaxosLeaseException stopped) {
                LockSupport.parkNanos(STEP_NANOS);
            }
        }
        return null;
    }

    /** Most leases are held for a moment, so that many change hands. */
    private Use nextUse() {
        return switch (uses++ % CYCLE) {
            case 1 -> Use.LET_EXPIRE;
            case 2 -> Use.KEEP;
            case 3, 12 -> Use.RENEW;
            default -> Use.LOOK;
        };
    }

    private Duration patience() {
        return random.nextInt(4) == 0 ? Duration.ZERO : PATIENCE;
    }

    private void use(Lease lease, Use use) throws InterruptedException {
        Sight sight = new Sight(lease);
        for (int i = 0; i < LOOKS; i++) {
            sight.look();
        }
        switch (use) {
            case LOOK -> {}
            case RENEW -> renew(lease, sight);
            case KEEP -> keep(sight, node.monitor().options().leaseTime().toNanos());
            case LET_EXPIRE -> keep(sight, Long.MAX_VALUE);
        }
        if (use != Use.LET_EXPIRE) {
            lease.release();
        }
        sight.look();
        sight.tell();
    }

    private void renew(Lease lease, Sight sight) throws InterruptedException {
        try {
            lease.renew(node.monitor().options().leaseTime()).get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("A renewal without an answer", e);
        }
        sight.look();
    }

    /** Longer than a third of the lease time, after which the node renews by itself. */
    private static void keep(Sight sight, long nanos) {
        long start = System.nanoTime();
        while (sight.look() && System.nanoTime() - start < nanos) {
            LockSupport.parkNanos(STEP_NANOS);
        }
    }

    /** What one user saw of one lease. */
    private final class Sight {

        private final Lease lease;
        private long from;
        private long to;
        private boolean seen;

        Sight(Lease lease) {
            this.lease = lease;
        }

        boolean look() {
            long before = System.nanoTime();
            boolean held = lease.isHeld();
            if (held && !seen) {
                seen = true;
                from = System.nanoTime();
            }
            to = held ? before : to;
            return held;
        }

        void tell() {
            Belief belief = new Belief(
                    new NodeId(node.monitor().options().nodeId()),
                    lease.resource(),
                    lease.fencingToken(),
                    new Moment(from),
                    new Moment(to));
            if (seen && belief.from().isBefore(belief.to())) {
                beliefs.add(belief);
            }
        }
    }
}
