package io.paxoslease.locks;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * How {@link LeaseLocks} refers to the lock of one key: weakly, so that a lock that neither the application nor a thread refers to
 * can be collected, but strongly while the lock has a lease, or a thread has not unlocked one that has ended.
 */
final class LockReference extends WeakReference<OwnedLock> {

    /** Written under this object's monitor, see {@link OwnedLock#pin}. */
    volatile @Nullable OwnedLock pinned;

    LockReference(OwnedLock lock) {
        super(lock);
    }
}
