package io.paxoslease.election;

import io.paxoslease.Lease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a node contests a role. Immutable. */
public final class ElectionOptions {

    /** The default of {@link Builder#coolDown(Duration)}. */
    public static final Duration DEFAULT_COOL_DOWN = Duration.ofSeconds(1);

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    private final @Nullable Duration leaseTime;
    private final Duration coolDown;
    private final @Nullable Duration reportEvery;
    private final @Nullable String note;
    private final List<String> preference;

    private ElectionOptions(Builder builder) {
        this.leaseTime = builder.leaseTime;
        this.coolDown = builder.coolDown;
        this.reportEvery = builder.reportEvery;
        this.note = builder.note;
        this.preference = List.copyOf(builder.preference);
    }

    /** The node's lease time, a cool-down of a second, no reports. */
    public static ElectionOptions defaults() {
        return builder().build();
    }

    /** Starts with the {@linkplain #defaults() defaults}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return builder()
                .leaseTime(leaseTime)
                .coolDown(coolDown)
                .reportEvery(reportEvery)
                .note(note)
                .preference(preference);
    }

    /** The longest time for which no other node can lead after this node crashes as the leader; null: the node's lease time. */
    public @Nullable Duration leaseTime() {
        return leaseTime;
    }

    /** How long this node does not contest the role after it has resigned. */
    public Duration coolDown() {
        return coolDown;
    }

    /** How long to wait for the lease before each call of {@link LeaderCandidate#onNotGranted()}; null: it is not called. */
    public @Nullable Duration reportEvery() {
        return reportEvery;
    }

    /** The note of the role's lease while this node leads, see {@link Lease#note}; null: none. */
    public @Nullable String note() {
        return note;
    }

    /** The nodes that lead after this node when it stops, in order of preference; otherwise the youngest candidate that is ready. */
    public List<String> preference() {
        return preference;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ElectionOptions that
                && Objects.equals(leaseTime, that.leaseTime)
                && coolDown.equals(that.coolDown)
                && Objects.equals(reportEvery, that.reportEvery)
                && Objects.equals(note, that.note)
                && preference.equals(that.preference);
    }

    @Override
    public int hashCode() {
        return Objects.hash(leaseTime, coolDown, reportEvery, note, preference);
    }

    @Override
    public String toString() {
        return "ElectionOptions[leaseTime=%s, coolDown=%s, reportEvery=%s, note=%s, preference=%s]"
                .formatted(leaseTime, coolDown, reportEvery, note == null ? null : Printable.name(note), preference);
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private @Nullable Duration leaseTime;
        private Duration coolDown = DEFAULT_COOL_DOWN;
        private @Nullable Duration reportEvery;
        private @Nullable String note;
        private List<String> preference = List.of();

        private Builder() {}

        /**
         * The longest time for which no other node can lead after this node crashes as the leader, at most the cell's maximum lease time.
         * Default, or null: the node's, from {@link PaxosLeaseOptions.Builder#leaseTime(Duration)}.
         */
        public Builder leaseTime(@Nullable Duration time) {
            this.leaseTime = time;
            return this;
        }

        /**
         * How long this node does not contest the role after it has resigned, because another node should win. Also applies after a failure of
         * the candidate, then at least two seconds, four after the next failure, and so on up to thirty. Default: a second.
         */
        public Builder coolDown(Duration time) {
            this.coolDown = Objects.requireNonNull(time, "coolDown");
            return this;
        }

        /** How long to wait for the lease before each call of {@link LeaderCandidate#onNotGranted()}. Default, or null: it is not called. */
        public Builder reportEvery(@Nullable Duration time) {
            this.reportEvery = time;
            return this;
        }

        /**
         * The note of the role's lease while this node leads, see {@link Lease#note}: every node can read it along with the leader. Default, or
         * null or empty: none.
         *
         * @throws IllegalArgumentException when it is longer than 255 bytes of UTF-8, or no valid Unicode
         */
        public Builder note(@Nullable String text) {
            String checked = Note.check(text);
            this.note = checked.isEmpty() ? null : checked;
            return this;
        }

        /**
         * Which nodes lead after this node when it stops: the first one that is ready. A node is ready once it has waited for the role
         * for a minute without a failed term; if it began after the leader, for ten seconds. The list decides nothing else:
         * a leader is not replaced because another node precedes it. Default: empty, so the youngest candidate that is ready leads next.
         */
        public Builder preference(List<String> nodeIds) {
            this.preference = List.copyOf(nodeIds);
            return this;
        }

        /**
         * Checks the options.
         *
         * @throws IllegalArgumentException when the lease time is not positive, the cool-down is negative or above a day, reports are less
         *     than a millisecond apart, or the preference has a text that is not a node id, or the same one twice
         */
        public ElectionOptions build() {
            if (leaseTime != null && (leaseTime.isNegative() || leaseTime.isZero())) {
                throw new IllegalArgumentException("The lease time of a role must be positive, not " + leaseTime);
            }
            if (coolDown.isNegative() || coolDown.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "The cool-down of a role must be zero or more and at most a day, not " + coolDown);
            }
            if (reportEvery != null && reportEvery.compareTo(SHORTEST) < 0) {
                throw new IllegalArgumentException(
                        "The time between two reports of a role must be at least a millisecond, not " + reportEvery);
            }
            for (String nodeId : preference) {
                if (!NodeId.isValidName(nodeId) || Collections.frequency(preference, nodeId) > 1) {
                    throw new IllegalArgumentException(
                            "The preference of a role names node ids, each once, which '%s' is not: %s"
                                    .formatted(Printable.name(nodeId), Printable.text(preference.toString())));
                }
            }
            return new ElectionOptions(this);
        }
    }
}
