package io.paxoslease.rivals.contenders;

import io.paxoslease.locks.LockOptions;
import java.time.Duration;

/** How PaxosLease's locks are set up: the one place that says it. */
final class LockSettings {

    private LockSettings() {}

    /** Every lock and every unlock goes to the cell. */
    static LockOptions throughTheCell() {
        return LockOptions.builder().idleRetention(Duration.ZERO).build();
    }

    /** The default: a node keeps the lease of a lock for a while after the last unlock. */
    static LockOptions kept() {
        return LockOptions.defaults();
    }
}
