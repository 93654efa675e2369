package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * A time in which a client acquires nothing, because its store has lost writes: what is held by those must be over first. It counts from when the
 * loss was noticed, once for all registers.
 */
final class Suspension {

    private final StorageRules rules;
    private @Nullable Moment noticedAt;

    Suspension(StorageRules rules) {
        this.rules = rules;
    }

    /**
     * A register has less than it is known to have had.
     *
     * @param knownAt when that was learnt
     * @return whether the client is suspended from now on; what was known before a loss that has been noticed belongs to that one
     */
    boolean begins(Moment knownAt, Moment now) {
        if (noticedAt != null && !noticedAt.isBefore(knownAt)) {
            return false;
        }
        noticedAt = now;
        return true;
    }

    /** How long it lasts yet; zero or less: it is over. */
    long leftNanos(Moment now) {
        return noticedAt == null ? 0 : now.nanosUntil(noticedAt.plusNanos(rules.longestPatienceNanos()));
    }
}
