package io.paxoslease.locks;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * How {@link LeaseLocks} refers to the lock of one key: weakly, so that a lock that neither the application nor a thread refers to
 * can be collected, but strongly while the lock has a lease.
 */
final class LockReference extends WeakReference<OwnedLock> {

    /** Set while the lock has a lease. Written under the lock's mutex. */
    volatile @Nullable OwnedLock pinned;

    LockReference(OwnedLock lock) {
        super(lock);
    }
}
