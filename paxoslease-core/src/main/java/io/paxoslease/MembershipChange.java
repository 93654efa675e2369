package io.paxoslease;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the members should become while the cell serves. Immutable. {@link NodeAdmin#changeMembers} refuses other times. */
public final class MembershipChange {

    private final Map<String, String> peers;
    private final @Nullable Duration maxLeaseTime;
    private final @Nullable Double clockDrift;

    private MembershipChange(Builder builder) {
        this.peers = builder.peers;
        this.maxLeaseTime = builder.maxLeaseTime;
        this.clockDrift = builder.clockDrift;
    }

    /** Other members, with the times as they are. */
    public static MembershipChange to(Map<String, String> peers) {
        return builder(peers).build();
    }

    /**
     * Starts a change.
     *
     * @param peers the members after the change: node id to {@code host:port}
     */
    public static Builder builder(Map<String, String> peers) {
        return new Builder(peers);
    }

    /** A builder that starts with this change. */
    public Builder toBuilder() {
        return builder(peers).maxLeaseTime(maxLeaseTime).clockDrift(clockDrift);
    }

    /** The members after the change: node id to {@code host:port}. */
    public Map<String, String> peers() {
        return peers;
    }

    /** The longest lease after the change; null: as it is. */
    public @Nullable Duration maxLeaseTime() {
        return maxLeaseTime;
    }

    /** The bound on the rate error of clocks after the change; null: as it is. */
    public @Nullable Double clockDrift() {
        return clockDrift;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MembershipChange that
                && peers.equals(that.peers)
                && Objects.equals(maxLeaseTime, that.maxLeaseTime)
                && Objects.equals(clockDrift, that.clockDrift);
    }

    @Override
    public int hashCode() {
        return Objects.hash(peers, maxLeaseTime, clockDrift);
    }

    @Override
    public String toString() {
        return "MembershipChange[peers=%s, maxLeaseTime=%s, clockDrift=%s]".formatted(peers, maxLeaseTime, clockDrift);
    }

    /** Collects a change. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> peers;
        private @Nullable Duration maxLeaseTime;
        private @Nullable Double clockDrift;

        private Builder(Map<String, String> peers) {
            this.peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
        }

        /** The longest lease after the change. Default, or null: as it is. */
        public Builder maxLeaseTime(@Nullable Duration time) {
            this.maxLeaseTime = time;
            return this;
        }

        /** The bound on the rate error of clocks after the change. Default, or null: as it is. */
        public Builder clockDrift(@Nullable Double rho) {
            this.clockDrift = rho;
            return this;
        }

        /** Makes the change; {@link NodeAdmin#changeMembers} checks it. */
        public MembershipChange build() {
            return new MembershipChange(this);
        }
    }
}
