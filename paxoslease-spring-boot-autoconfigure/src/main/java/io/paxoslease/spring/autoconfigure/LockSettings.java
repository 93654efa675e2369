package io.paxoslease.spring.autoconfigure;

import io.paxoslease.locks.LockOptions;
import io.paxoslease.spring.autoconfigure.PaxosLeaseProperties.Locks;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The options of locks, made from the properties. */
final class LockSettings {

    private static final String PREFIX = PaxosLeaseProperties.PREFIX + "locks.";

    private final Locks locks;

    LockSettings(Locks locks) {
        this.locks = locks;
    }

    /** @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change */
    LockOptions toOptions(Duration maxTtl) {
        if (locks.idleRetention().isNegative()) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "idle-retention",
                    locks.idleRetention(),
                    "Must not be negative; use 0 to release the lease at each unlock.");
        }
        if (locks.maxLocalHandoffs() < 1) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "max-local-handoffs",
                    locks.maxLocalHandoffs(),
                    "Must be at least 1: the unlock of the thread that holds the lock counts.");
        }
        Duration wait = locks.waitTimeout();
        if (wait != null && (wait.isNegative() || wait.isZero())) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "wait-timeout",
                    wait,
                    "Must be positive; leave it out for locks that wait for ever, and use tryLock to ask once.");
        }
        Duration ttl = locks.ttl();
        if (ttl != null && (ttl.isNegative() || ttl.isZero() || ttl.compareTo(maxTtl) > 0)) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "ttl",
                    ttl,
                    "Must be positive and at most 'paxoslease.max-lease-time', %s; leave it out for locks that are renewed while they are held."
                            .formatted(maxTtl));
        }
        return LockOptions.builder()
                .leaseTime(ttl)
                .interruptOnLoss(locks.interruptOnLoss())
                .idleRetention(locks.idleRetention())
                .maxLocalHandoffs(locks.maxLocalHandoffs())
                .waitTimeout(wait)
                .build();
    }
}
