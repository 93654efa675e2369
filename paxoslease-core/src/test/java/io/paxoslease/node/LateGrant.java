package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A thread waits for a lock, the lease is granted, and the thread is held up until the lease is over: what does
 * {@code lock()} do then (section 8, K1)?
 */
public final class LateGrant implements Supplier<List<String>> {

    private static final Duration TTL = Duration.ofSeconds(1);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        HandClock clock = new HandClock();
        try (PaxosLease node = HandEnvironment.node(clock, message -> {})) {
            node.start();
            LeaseLock lock = new LeaseLocks(node, LockOptions.defaults()).get("k");
            clock.holdUp(Thread.currentThread(), TimeUnit.SECONDS.toNanos(2));
            try {
                lock.lock(TTL);
            } catch (LeaseLostException e) {
                return isFree(node) ? List.of() : List.of("the lease of a lock that is not held is kept");
            }
            return lock.isHeldByCurrentThread() ? List.of() : List.of("lock() returned, and the lease is over");
        }
    }

    private static boolean isFree(PaxosLease node) {
        AcquireOptions once = AcquireOptions.builder().maxWait(Duration.ZERO).build();
        try {
            return node.tryAcquire("lock:k", once).isPresent();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }
}
