package io.paxoslease.locks;

import io.paxoslease.PaxosLease;
import io.paxoslease.node.HandClock;
import io.paxoslease.node.HandEnvironment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A lock's lease is kept, ends while the node's loop notices nothing, and the lock is asked for again: what does {@code lock()}
 * do then (section 8, K1)?
 */
@SuppressWarnings("LockNotBeforeTry") // it is the second lock that is looked at
public final class LateReuse implements Supplier<List<String>> {

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        HandClock clock = new HandClock();
        try (PaxosLease node = HandEnvironment.node(clock, message -> {})) {
            node.start();
            LeaseLock lock = new LeaseLocks(node, LockOptions.defaults()).get("k");
            lock.lock();
            long token = lock.fencingToken();
            lock.unlock();
            clock.advance(TimeUnit.HOURS.toNanos(1));
            lock.lock();
            return lock.fencingToken() > token ? List.of() : List.of("a lock was granted on a lease that is over");
        }
    }
}
