package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.storage.StoreStatus;
import io.paxoslease.store.Register;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client of a store whose accesses are counted. It accesses the store for what it is asked only. */
final class ScaleClient implements AutoCloseable {

    /** A renewal needs 12.1 times the access bound; an acquisition, a renewal and a hand-over have to fit as well. */
    private static final int BOUNDS_IN_A_LEASE = 20;

    private static final long QUIET_MILLIS = 20;
    /** Far above what a slow disk takes. */
    private static final Duration QUIET_LIMIT = Duration.ofMinutes(1);

    private final String id;
    private final CountedRegister register;
    private final PaxosLease node;
    private final Duration accessBound;
    private final Duration leaseTime;

    ScaleClient(String id, Register store, Duration accessBound) throws InterruptedException {
        this.id = id;
        this.register = new CountedRegister(store);
        this.accessBound = accessBound;
        this.leaseTime = accessBound.multipliedBy(BOUNDS_IN_A_LEASE);
        this.node = PaxosLease.create(PaxosLeaseOptions.builder(id)
                .leaseTime(leaseTime)
                .maxLeaseTime(leaseTime)
                .algorithm(StorageOptions.builder(register.counted())
                        .accessBound(accessBound)
                        .build())
                .build());
        node.start();
        LocalCell.awaitServing(node);
    }

    /** Not renewed by itself: that would be counted too. */
    CompletableFuture<Lease> acquire(String resource) {
        return node.acquire(resource, AcquireOptions.fixed(leaseTime));
    }

    CompletableFuture<Boolean> renew(Lease lease) {
        return lease.renew(leaseTime);
    }

    /** Releases it, and waits until the store has heard of it. */
    void release(Lease lease) throws InterruptedException {
        CountedRegister.Accesses before = accesses();
        lease.release();
        awaitAccess(before);
        awaitQuiet();
    }

    /** Waits until another access has ended, an access bound at most. */
    void awaitAccess(CountedRegister.Accesses before) throws InterruptedException {
        long limit = System.nanoTime() + accessBound.toNanos();
        while (accesses().ended() == before.ended() && System.nanoTime() - limit < 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** Waits until no access is under way, and none has begun for a while. */
    void awaitQuiet() throws InterruptedException {
        awaitQuiet(QUIET_LIMIT);
    }

    /** @throws IllegalStateException if it is not quiet within that time */
    void awaitQuiet(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        CountedRegister.Accesses before = accesses();
        TimeUnit.MILLISECONDS.sleep(QUIET_MILLIS);
        CountedRegister.Accesses now = accesses();
        while (now.begun() != now.ended() || now.begun() != before.begun()) {
            if (System.nanoTime() - end >= 0) {
                throw new IllegalStateException(
                        "Client '%s' still accesses the store after %s, so nothing can be counted: find out what makes the store slow"
                                .formatted(id, limit));
            }
            before = now;
            TimeUnit.MILLISECONDS.sleep(QUIET_MILLIS);
            now = accesses();
        }
    }

    CountedRegister.Accesses accesses() {
        return register.accesses();
    }

    /** The names of the registers that this client has written. */
    Set<String> written() {
        return register.written();
    }

    /** Accesses that took too long, or failed. */
    long troubles() {
        StoreStatus store =
                (StoreStatus) Objects.requireNonNull(node.monitor().status().algorithm());
        return store.slow() + store.failed();
    }

    @Override
    public void close() {
        node.close();
    }
}
