package io.paxoslease.benchmarks;

import io.paxoslease.Lease;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** What acquisitions, renewals and hand-overs take with two clients of one store, one after the other. */
final class ScaleMeasurement {

    enum Operation {
        ACQUIRE("acquire"),
        RENEW("renewal"),
        HAND_OVER("hand-over");

        private final String title;

        Operation(String title) {
            this.title = title;
        }

        @Override
        public String toString() {
            return title;
        }
    }

    /** Accesses, their nanoseconds in sum, and the nanoseconds from the call to its outcome, all by operation. */
    record Figures(Histogram accesses, Histogram inStore, Histogram whole) {
        Figures() {
            this(new Histogram(3), new Histogram(3), new Histogram(3));
        }
    }

    private final ScaleClient holder;
    private final ScaleClient next;
    private final Duration accessBound;
    private final Map<Operation, Figures> figures = new EnumMap<>(Operation.class);
    private int lost;

    private CountedRegister.Accesses before = new CountedRegister.Accesses(0, 0, 0);
    private long begin;

    ScaleMeasurement(ScaleClient holder, ScaleClient next, Duration accessBound) {
        this.holder = holder;
        this.next = next;
        this.accessBound = accessBound;
        for (Operation operation : Operation.values()) {
            figures.put(operation, new Figures());
        }
    }

    Figures of(Operation operation) {
        return Objects.requireNonNull(figures.get(operation));
    }

    /** How many leases ended too early, since accesses took too long. */
    int lost() {
        return lost;
    }

    /** One client acquires the free lease and renews it; the other one waits for it, gets it and releases it. */
    void measure(String resource) throws InterruptedException, ExecutionException {
        begin();
        Lease lease = holder.acquire(resource).get();
        end(Operation.ACQUIRE);
        begin();
        if (holder.renew(lease).get()) {
            end(Operation.RENEW);
        } else {
            lost++;
        }
        handOver(resource, lease);
    }

    private void handOver(String resource, Lease lease) throws InterruptedException, ExecutionException {
        CountedRegister.Accesses unasked = next.accesses();
        CompletableFuture<Lease> asked = next.acquire(resource);
        next.awaitAccess(unasked);
        // At any moment between two looks of the client that waits.
        TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(accessBound.toNanos() / 2));
        boolean held = lease.isHeld();
        begin();
        lease.release();
        Lease got = asked.get();
        if (held) {
            end(Operation.HAND_OVER);
        } else {
            lost++;
        }
        next.release(got);
        holder.awaitQuiet();
    }

    private void begin() {
        before = holder.accesses().plus(next.accesses());
        begin = System.nanoTime();
    }

    /** The client that is granted a lease or a renewal is quiet by then, and the one that has released it soon is. */
    private void end(Operation operation) throws InterruptedException {
        long whole = System.nanoTime() - begin;
        holder.awaitQuiet();
        CountedRegister.Accesses accesses =
                holder.accesses().plus(next.accesses()).since(before);
        Figures of = of(operation);
        of.accesses().recordValue(accesses.ended());
        of.inStore().recordValue(accesses.nanos());
        of.whole().recordValue(whole);
    }
}
