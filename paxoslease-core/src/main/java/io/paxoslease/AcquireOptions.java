package io.paxoslease;

import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a lease is acquired. Immutable. {@link #renewing()} and {@link #fixed(Duration)} serve most callers; {@link #builder()} has the rest. */
public final class AcquireOptions {

    private static final AcquireOptions RENEWING = builder().build();

    private final @Nullable Duration leaseTime;
    private final boolean renewed;
    private final @Nullable Duration maxWait;
    private final @Nullable String note;

    private AcquireOptions(Builder builder) {
        this.leaseTime = builder.leaseTime;
        this.renewed = builder.renewed;
        this.maxWait = builder.maxWait;
        this.note = builder.note;
    }

    /** The node's default lease time, renewed until it is released; waits without a limit. */
    public static AcquireOptions renewing() {
        return RENEWING;
    }

    /**
     * Held for the given time and not renewed; waits without a limit.
     *
     * @param leaseTime at most the cell's maximum lease time
     */
    public static AcquireOptions fixed(Duration leaseTime) {
        return builder().leaseTime(leaseTime).renewed(false).build();
    }

    /** Starts with what {@link #renewing()} has. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return builder().leaseTime(leaseTime).renewed(renewed).maxWait(maxWait).note(note);
    }

    /** How long the holder may rely on the lease without a renewal; null: the node's default lease time. */
    public @Nullable Duration leaseTime() {
        return leaseTime;
    }

    /** Whether the node renews the lease until it is released. */
    public boolean renewed() {
        return renewed;
    }

    /** How long to wait while another node holds the lease; zero: asks once; null: without a limit. */
    public @Nullable Duration maxWait() {
        return maxWait;
    }

    /** The note of the lease, see {@link Lease#note}; null: none. */
    public @Nullable String note() {
        return note;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AcquireOptions that
                && Objects.equals(leaseTime, that.leaseTime)
                && renewed == that.renewed
                && Objects.equals(maxWait, that.maxWait)
                && Objects.equals(note, that.note);
    }

    @Override
    public int hashCode() {
        return Objects.hash(leaseTime, renewed, maxWait, note);
    }

    @Override
    public String toString() {
        return "AcquireOptions[leaseTime=%s, renewed=%s, maxWait=%s, note=%s]"
                .formatted(leaseTime, renewed, maxWait, note == null ? null : Printable.name(note));
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private @Nullable Duration leaseTime;
        private boolean renewed = true;
        private @Nullable Duration maxWait;
        private @Nullable String note;

        private Builder() {}

        /** How long the holder may rely on the lease without a renewal. Default, or null: the node's default lease time. */
        public Builder leaseTime(@Nullable Duration time) {
            this.leaseTime = time;
            return this;
        }

        /** Whether the node renews the lease until it is released. Default: true. */
        public Builder renewed(boolean renew) {
            this.renewed = renew;
            return this;
        }

        /** How long to wait while another node holds the lease; zero or less asks once. Default, or null: without a limit. */
        public Builder maxWait(@Nullable Duration limit) {
            this.maxWait = limit == null || !limit.isNegative() ? limit : Duration.ZERO;
            return this;
        }

        /**
         * A text that every node can read along with the holder, see {@link Lease#note}. Default, or null or empty: none.
         *
         * @throws IllegalArgumentException when it is longer than 255 bytes of UTF-8, or no valid Unicode
         */
        public Builder note(@Nullable String text) {
            String checked = Note.check(text);
            this.note = checked.isEmpty() ? null : checked;
            return this;
        }

        /**
         * Checks the options.
         *
         * @throws IllegalArgumentException when the lease time is not positive, or missing for a lease that is not renewed
         */
        public AcquireOptions build() {
            if (leaseTime != null && (leaseTime.isNegative() || leaseTime.isZero())) {
                throw new IllegalArgumentException("The lease time must be positive, not " + leaseTime);
            }
            if (!renewed && leaseTime == null) {
                throw new IllegalArgumentException("A lease that is not renewed needs a lease time");
            }
            return new AcquireOptions(this);
        }
    }
}
