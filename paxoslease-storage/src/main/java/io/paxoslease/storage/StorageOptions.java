package io.paxoslease.storage;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.StorageRules;
import io.paxoslease.store.Register;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where clients that lease by way of shared storage meet, and what they rely on. Immutable.
 *
 * @param register the store, the same one for every client
 * @param accessBound delta: every access to the store takes less, pool waits, retries and pauses of this process included; the
 *     same for every client
 * @param writeMode how a lease is written
 * @param renewal how a lease is renewed; of no meaning with {@link WriteMode#COMPARE_AND_SET}
 * @param tokensAbove fencing tokens of this client are above this number; 0 unless the store was restored from a backup
 */
public record StorageOptions(
        Register register, Duration accessBound, WriteMode writeMode, Renewal renewal, long tokensAbove)
        implements AlgorithmOptions {

    /** The default of {@link #accessBound}. */
    public static final Duration DEFAULT_ACCESS_BOUND = Duration.ofMillis(500);

    /** The default lease time with {@link WriteMode#READ_WRITE}: a renewal takes several accesses. */
    public static final Duration DEFAULT_READ_WRITE_LEASE_TIME = Duration.ofSeconds(10);

    /** The shortest access bound: nothing that is called a store answers faster for ever. */
    public static final Duration MIN_ACCESS_BOUND = Duration.ofMillis(1);

    /** The highest number for {@link #tokensAbove}: microseconds since 1970 stay below it until 2112. */
    public static final long MAX_TOKENS_ABOVE = 1L << 52;

    private static final long MILLI = 1_000_000;

    /** How a lease is written. */
    public enum WriteMode {
        /**
         * By one atomic step, where the store has it. Exclusion does not rest on the access bound: a client that hears late
         * holds for less, or not at all.
         */
        COMPARE_AND_SET,
        /**
         * By writing, waiting, and reading whether it is still there: for stores that only read and write. Two clients never
         * hold one lease as long as the store keeps the access bound, and only so long.
         */
        READ_WRITE
    }

    /** How a lease in a store that only reads and writes is renewed. */
    public enum Renewal {
        /** By one write: right when the store keeps the access bound from the start. */
        KNOWN_DELAY,
        /**
         * By reading, writing, waiting and reading: when the store did not keep the bound for a while, and several clients came to
         * hold the lease, only one of them renews it.
         */
        EVENTUAL
    }

    public StorageOptions {
        Objects.requireNonNull(register, "register");
        Objects.requireNonNull(accessBound, "accessBound");
        Objects.requireNonNull(writeMode, "writeMode");
        Objects.requireNonNull(renewal, "renewal");
        if (accessBound.compareTo(MIN_ACCESS_BOUND) < 0) {
            throw new InvalidOptionException(
                    "accessBound",
                    accessBound,
                    "must be above zero: the most that any access to %s takes, for instance %d ms"
                            .formatted(register.describe(), DEFAULT_ACCESS_BOUND.toMillis()));
        }
        if (writeMode == WriteMode.COMPARE_AND_SET && !register.comparesAndSets()) {
            throw new InvalidOptionException(
                    "writeMode",
                    writeMode,
                    "is not available with %s: choose READ_WRITE".formatted(register.describe()));
        }
        if (tokensAbove < 0 || tokensAbove > MAX_TOKENS_ABOVE) {
            throw new InvalidOptionException(
                    "tokensAbove",
                    tokensAbove,
                    "must be from 0 to %d: after a restore, a number above every fencing token that was granted before it, for instance the microseconds since 1970"
                            .formatted(MAX_TOKENS_ABOVE));
        }
    }

    /** For a store that was never restored from a backup. */
    public StorageOptions(Register register, Duration accessBound, WriteMode writeMode, Renewal renewal) {
        this(register, accessBound, writeMode, renewal, 0);
    }

    @Override
    public String algorithm() {
        return "storage";
    }

    @Override
    public boolean hasMembers() {
        return false;
    }

    @Override
    public @Nullable Duration defaultLeaseTime() {
        return writeMode == WriteMode.READ_WRITE ? DEFAULT_READ_WRITE_LEASE_TIME : null;
    }

    @Override
    public void check(Set<String> peers, boolean tls, Duration leaseTime, Duration maxLeaseTime, double clockDrift) {
        if (tls) {
            throw new InvalidOptionException(
                    "tls",
                    "given",
                    "is for the connections between nodes, and clients of shared storage have none: leave it out, and secure the access to the store by the store's own means");
        }
        if (!peers.isEmpty()) {
            throw new InvalidOptionException(
                    "peers",
                    peers,
                    "have no meaning with leases in shared storage: clients meet in the store, so list no peers");
        }
        checkLeaseTime(leaseTime, new Timing(maxLeaseTime, clockDrift));
    }

    private void checkLeaseTime(Duration leaseTime, Timing timing) {
        StorageRules rules = new StorageRules(
                timing, accessBound.toNanos(), writeMode == WriteMode.COMPARE_AND_SET, renewal == Renewal.EVENTUAL);
        long needed = rules.shortestLeaseNanos(false);
        if (timing.leaseNanosWithin(leaseTime.toNanos()) < needed) {
            throw new InvalidOptionException(
                    "leaseTime",
                    leaseTime,
                    "is too short for the access bound, %s: with %s a renewal takes up to several accesses, so raise the lease time to at least %d ms (paxoslease.lease-time, paxoslease.max-lease-time), or lower the access bound (paxoslease.storage.access-bound) if the store is always faster"
                            .formatted(accessBound, writeMode, wholeMillis(timing.exclusionNanos(needed))));
        }
    }

    private static long wholeMillis(long nanos) {
        return (nanos + MILLI - 1) / MILLI;
    }

    /** With defaults: compare-and-set where the register has it; else reads and writes, with the renewal for a bound that may be broken. */
    public static StorageOptions of(Register register) {
        return new StorageOptions(
                register,
                DEFAULT_ACCESS_BOUND,
                register.comparesAndSets() ? WriteMode.COMPARE_AND_SET : WriteMode.READ_WRITE,
                Renewal.EVENTUAL);
    }

    /** The same with that access bound. */
    public StorageOptions withAccessBound(Duration bound) {
        return new StorageOptions(register, bound, writeMode, renewal, tokensAbove);
    }

    /** The same, written so. */
    public StorageOptions withWriteMode(WriteMode other) {
        return new StorageOptions(register, accessBound, other, renewal, tokensAbove);
    }

    /** The same with that renewal. */
    public StorageOptions withRenewal(Renewal other) {
        return new StorageOptions(register, accessBound, writeMode, other, tokensAbove);
    }

    /**
     * The same with fencing tokens above that number. For a store that was restored from a backup, or whose replica took over
     * without the latest writes: without it, tokens that were granted before are granted again.
     *
     * @param token at least every token that was granted before; the same on every client, and left set from then on
     * @throws InvalidOptionException if it is negative or above {@link #MAX_TOKENS_ABOVE}
     */
    public StorageOptions withTokensAbove(long token) {
        return new StorageOptions(register, accessBound, writeMode, renewal, token);
    }
}
