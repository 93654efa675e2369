package io.paxoslease.locks;

import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a set of locks behaves. Immutable. */
public final class LockOptions {

    /** The default of {@link Builder#prefix(String)}, which the Spring lock registry uses. */
    public static final String DEFAULT_PREFIX = "lock:";

    /** The default of {@link Builder#idleRetention(Duration)}. */
    public static final Duration DEFAULT_IDLE_RETENTION = Duration.ofSeconds(1);

    private final String prefix;
    private final @Nullable Duration leaseTime;
    private final boolean interruptOnLoss;
    private final Duration idleRetention;
    private final int maxLocalHandoffs;
    private final @Nullable Duration waitTimeout;

    private LockOptions(Builder builder) {
        this.prefix = builder.prefix;
        this.leaseTime = builder.leaseTime;
        this.interruptOnLoss = builder.interruptOnLoss;
        this.idleRetention = builder.idleRetention;
        this.maxLocalHandoffs = builder.maxLocalHandoffs;
        this.waitTimeout = builder.waitTimeout;
    }

    /** Locks that are renewed while held and retained for a second, with the default prefix; no thread is interrupted. */
    public static LockOptions defaults() {
        return builder().build();
    }

    /** Starts with the {@linkplain #defaults() defaults}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return builder()
                .prefix(prefix)
                .leaseTime(leaseTime)
                .interruptOnLoss(interruptOnLoss)
                .idleRetention(idleRetention)
                .maxLocalHandoffs(maxLocalHandoffs)
                .waitTimeout(waitTimeout);
    }

    /** What precedes every key in the resource name. */
    public String prefix() {
        return prefix;
    }

    /** The lease time of locks taken without one; null: such locks are renewed while held. */
    public @Nullable Duration leaseTime() {
        return leaseTime;
    }

    /** Whether the thread that holds a lock is interrupted when its lease is lost, see {@link LeaseLock}. */
    public boolean interruptOnLoss() {
        return interruptOnLoss;
    }

    /** How long this node retains the lease of a lock that none of its threads holds any more; zero: not at all. */
    public Duration idleRetention() {
        return idleRetention;
    }

    /** How many holds may end on this node after another node has requested the lock, before the lease is given up. */
    public int maxLocalHandoffs() {
        return maxLocalHandoffs;
    }

    /** How long {@link LeaseLock#lock()} and the other methods without a time to wait do wait; null: without a limit. */
    public @Nullable Duration waitTimeout() {
        return waitTimeout;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockOptions that
                && prefix.equals(that.prefix)
                && Objects.equals(leaseTime, that.leaseTime)
                && interruptOnLoss == that.interruptOnLoss
                && idleRetention.equals(that.idleRetention)
                && maxLocalHandoffs == that.maxLocalHandoffs
                && Objects.equals(waitTimeout, that.waitTimeout);
    }

    @Override
    public int hashCode() {
        return Objects.hash(prefix, leaseTime, interruptOnLoss, idleRetention, maxLocalHandoffs, waitTimeout);
    }

    @Override
    public String toString() {
        return "LockOptions[prefix=%s, leaseTime=%s, interruptOnLoss=%s, idleRetention=%s, maxLocalHandoffs=%d, waitTimeout=%s]"
                .formatted(
                        Printable.name(prefix),
                        leaseTime,
                        interruptOnLoss,
                        idleRetention,
                        maxLocalHandoffs,
                        waitTimeout);
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private String prefix = DEFAULT_PREFIX;
        private @Nullable Duration leaseTime;
        private boolean interruptOnLoss;
        private Duration idleRetention = DEFAULT_IDLE_RETENTION;
        private int maxLocalHandoffs = 1;
        private @Nullable Duration waitTimeout;

        private Builder() {}

        /** What precedes every key in the resource name, because locks and roles may have the same names. Default: {@value #DEFAULT_PREFIX}. */
        public Builder prefix(String text) {
            this.prefix = Objects.requireNonNull(text, "prefix");
            return this;
        }

        /**
         * A fixed lease time: each lock ends at that time after it was taken, or after a reentrant acquire; it is neither renewed nor retained.
         * Default, or null: locks are renewed while held.
         */
        public Builder leaseTime(@Nullable Duration time) {
            this.leaseTime = time;
            return this;
        }

        /** Whether a loss interrupts the thread that holds the lock. Default: false. */
        public Builder interruptOnLoss(boolean interrupt) {
            this.interruptOnLoss = interrupt;
            return this;
        }

        /**
         * How long the lease of an idle lock is retained and renewed, because the next thread has it at once then; it is given up earlier when
         * another node requests it. Zero: each unlock gives it up. Default: a second. Always zero where the algorithm does not tell holders of requests.
         */
        public Builder idleRetention(Duration time) {
            this.idleRetention = Objects.requireNonNull(time, "idleRetention");
            return this;
        }

        /** How many holds may end here before the lease goes to another node that has requested it. Default: 1, the present hold. */
        public Builder maxLocalHandoffs(int handoffs) {
            this.maxLocalHandoffs = handoffs;
            return this;
        }

        /**
         * How long a lock that is taken without a time to wait waits; then it throws {@link io.paxoslease.LeaseTimeoutException}. Default, or
         * null: without a limit.
         */
        public Builder waitTimeout(@Nullable Duration time) {
            this.waitTimeout = time;
            return this;
        }

        /**
         * Checks the options.
         *
         * @throws IllegalArgumentException when the lease time or the time to wait is not positive, the retention is negative, or the hand-offs
         *     are below one
         */
        public LockOptions build() {
            if (leaseTime != null && (leaseTime.isNegative() || leaseTime.isZero())) {
                throw new IllegalArgumentException("The lease time of locks must be positive, not " + leaseTime
                        + ": leave it out for locks that are renewed while held");
            }
            if (idleRetention.isNegative()) {
                throw new IllegalArgumentException("The idle retention of locks must not be negative, and is "
                        + idleRetention + ": use zero to give a lock up at each unlock");
            }
            if (maxLocalHandoffs < 1) {
                throw new IllegalArgumentException("The local hand-offs of a contended lock must be at least 1, not "
                        + maxLocalHandoffs + ": the present hold is the first");
            }
            if (waitTimeout != null && (waitTimeout.isNegative() || waitTimeout.isZero())) {
                throw new IllegalArgumentException("The time that locks wait at most must be positive, not "
                        + waitTimeout + ": leave it out for locks that wait for ever");
            }
            return new LockOptions(this);
        }
    }
}
