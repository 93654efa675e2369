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

/** Options of a client of leases in shared storage: the store, and what it relies on. Immutable; made by {@link #builder(Register)}. */
public final class StorageOptions implements AlgorithmOptions {

    /** The default of {@link Builder#accessBound}. */
    public static final Duration DEFAULT_ACCESS_BOUND = Duration.ofMillis(500);

    /** The default lease time with {@link WriteMode#READ_WRITE}: a renewal takes several accesses. */
    public static final Duration DEFAULT_READ_WRITE_LEASE_TIME = Duration.ofSeconds(10);

    /** The shortest access bound: nothing that is called a store answers faster for ever. */
    public static final Duration MIN_ACCESS_BOUND = Duration.ofMillis(1);

    /** The highest number for {@link Builder#tokensAbove}: microseconds since 1970 stay below it until 2112. */
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

    private final Register register;
    private final Duration accessBound;
    private final WriteMode writeMode;
    private final Renewal renewal;
    private final long tokensAbove;

    private StorageOptions(Builder builder) {
        this.register = builder.register;
        this.accessBound = Objects.requireNonNull(builder.accessBound, "accessBound");
        this.writeMode = Objects.requireNonNull(builder.writeMode, "writeMode");
        this.renewal = Objects.requireNonNull(builder.renewal, "renewal");
        this.tokensAbove = builder.tokensAbove;
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

    /** Starts with the defaults for that store, the same one for every client. */
    public static Builder builder(Register register) {
        return new Builder(register);
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return new Builder(register)
                .accessBound(accessBound)
                .writeMode(writeMode)
                .renewal(renewal)
                .tokensAbove(tokensAbove);
    }

    /** The store. */
    public Register register() {
        return register;
    }

    /** What every access to the store takes at most. */
    public Duration accessBound() {
        return accessBound;
    }

    /** How a lease is written. */
    public WriteMode writeMode() {
        return writeMode;
    }

    /** How a lease is renewed; of no meaning with {@link WriteMode#COMPARE_AND_SET}. */
    public Renewal renewal() {
        return renewal;
    }

    /** Fencing tokens of this client are above this number. */
    public long tokensAbove() {
        return tokensAbove;
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
                    "is too short for the access bound, %s: with %s a renewal takes up to several accesses, so raise the lease time to at least %d ms (leaseTime, maxLeaseTime), or lower accessBound if the store is always faster"
                            .formatted(accessBound, writeMode, wholeMillis(timing.exclusionNanos(needed))));
        }
    }

    private static long wholeMillis(long nanos) {
        return (nanos + MILLI - 1) / MILLI;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StorageOptions that
                && register.equals(that.register)
                && accessBound.equals(that.accessBound)
                && writeMode == that.writeMode
                && renewal == that.renewal
                && tokensAbove == that.tokensAbove;
    }

    @Override
    public int hashCode() {
        return Objects.hash(register, accessBound, writeMode, renewal, tokensAbove);
    }

    @Override
    public String toString() {
        return "StorageOptions[register=%s, accessBound=%s, writeMode=%s, renewal=%s, tokensAbove=%d]"
                .formatted(register.describe(), accessBound, writeMode, renewal, tokensAbove);
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private final Register register;
        private Duration accessBound = DEFAULT_ACCESS_BOUND;
        private WriteMode writeMode;
        private Renewal renewal = Renewal.EVENTUAL;
        private long tokensAbove;

        private Builder(Register register) {
            this.register = Objects.requireNonNull(register, "register");
            this.writeMode = register.comparesAndSets() ? WriteMode.COMPARE_AND_SET : WriteMode.READ_WRITE;
        }

        /**
         * Delta: every access to the store takes less, pool waits, retries and pauses of this process included; the same for every
         * client. Default 500 ms.
         */
        public Builder accessBound(Duration bound) {
            this.accessBound = bound;
            return this;
        }

        /** How a lease is written. Default: by compare-and-set where the register has it, else by reads and writes. */
        public Builder writeMode(WriteMode how) {
            this.writeMode = how;
            return this;
        }

        /** How a lease is renewed with {@link WriteMode#READ_WRITE}. Default: for an access bound that may be broken. */
        public Builder renewal(Renewal how) {
            this.renewal = how;
            return this;
        }

        /**
         * Grants fencing tokens above that number. For a store that was restored from a backup, or whose replica took over without the
         * latest writes: without it, tokens that were granted before are granted again. Default 0.
         *
         * @param token at least every token that was granted before; the same on every client, and left set from then on
         */
        public Builder tokensAbove(long token) {
            this.tokensAbove = token;
            return this;
        }

        /**
         * Checks the options and makes them.
         *
         * @throws InvalidOptionException when a value is out of bounds, or the register has no compare-and-set for that write mode
         */
        public StorageOptions build() {
            return new StorageOptions(this);
        }
    }
}
