package io.paxoslease.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.plan.GroupSettings;
import io.paxoslease.shards.plan.Participant;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** How one instance participates in a group of shards. Immutable. Instances may differ in all of it. */
public final class ShardOptions {

    /** The default of {@link Builder#startWait}. */
    public static final Duration DEFAULT_START_WAIT = Duration.ofSeconds(3);

    /** The default of {@link Builder#settleTime}. */
    public static final Duration DEFAULT_SETTLE_TIME = Duration.ofSeconds(60);

    /** The default of {@link Builder#handOverTimeout}. */
    public static final Duration DEFAULT_HAND_OVER_TIMEOUT = Duration.ofSeconds(20);

    private static final String NO_REVISION = "-";
    private static final Duration LONGEST = Duration.ofDays(1);

    private final Builder values;

    private ShardOptions(Builder values) {
        this.values = values;
    }

    /** All defaults. */
    public static ShardOptions defaults() {
        return builder().build();
    }

    /** Starts with the {@linkplain #defaults() defaults}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return new Builder(values);
    }

    /** How long a group without an owner waits for more instances (S9). */
    public Duration startWait() {
        return values.startWait;
    }

    /** How many instances a group without an owner waits for, at most for the start wait; 0: not known (S9). */
    public int expectedInstances() {
        return values.expectedInstances;
    }

    /** For how long instances have to run before shards move for the sake of balance alone (S6). */
    public Duration settleTime() {
        return values.settleTime;
    }

    /** How long the work on a shard may take to end before balance leaves the shard where it is (S7). */
    public Duration handOverTimeout() {
        return values.handOverTimeout;
    }

    /** How many shards this instance owns at most; 0: all of them (S10). */
    public int maxOwned() {
        return values.maxOwned;
    }

    /** What this instance runs, for instance the version of the application (S2). */
    public String revision() {
        return values.revision;
    }

    /** Makes the threads that work on shards; null: daemon threads. */
    public @Nullable ThreadFactory threads() {
        return values.threads;
    }

    GroupSettings settings(String group, int count) {
        if (count >= 1 && values.maxOwned > count) {
            throw new IllegalArgumentException(
                    "Group '%s' has %,d shards, and this instance is to own %,d at most: lower maxOwned, or leave it out to own any number"
                            .formatted(group, count, values.maxOwned));
        }
        return new GroupSettings(
                group,
                count,
                values.maxOwned == 0 ? Math.max(1, count) : values.maxOwned,
                values.expectedInstances,
                values.startWait,
                values.settleTime,
                values.handOverTimeout);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ShardOptions that
                && startWait().equals(that.startWait())
                && expectedInstances() == that.expectedInstances()
                && settleTime().equals(that.settleTime())
                && handOverTimeout().equals(that.handOverTimeout())
                && maxOwned() == that.maxOwned()
                && revision().equals(that.revision())
                && Objects.equals(threads(), that.threads());
    }

    @Override
    public int hashCode() {
        return Objects.hash(startWait(), expectedInstances(), settleTime(), handOverTimeout(), maxOwned(), revision());
    }

    @Override
    public String toString() {
        return "ShardOptions[startWait=%s, expectedInstances=%d, settleTime=%s, handOverTimeout=%s, maxOwned=%d, revision=%s]"
                .formatted(startWait(), expectedInstances(), settleTime(), handOverTimeout(), maxOwned(), revision());
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private Duration startWait = DEFAULT_START_WAIT;
        private int expectedInstances;
        private Duration settleTime = DEFAULT_SETTLE_TIME;
        private Duration handOverTimeout = DEFAULT_HAND_OVER_TIMEOUT;
        private int maxOwned;
        private String revision = NO_REVISION;
        private @Nullable ThreadFactory threads;

        private Builder() {}

        private Builder(Builder from) {
            startWait = from.startWait;
            expectedInstances = from.expectedInstances;
            settleTime = from.settleTime;
            handOverTimeout = from.handOverTimeout;
            maxOwned = from.maxOwned;
            revision = from.revision;
            threads = from.threads;
        }

        /**
         * How long a group without an owner waits for more instances, counted from the first one that is seen. Without that wait the first
         * instance takes all shards, and most of them move again. Default: 3 seconds; at most a day.
         */
        public Builder startWait(Duration time) {
            this.startWait = Objects.requireNonNull(time, "startWait");
            return this;
        }

        /** A group without an owner starts earlier when so many instances participate. Default: 0, not known. */
        public Builder expectedInstances(int instances) {
            this.expectedInstances = instances;
            return this;
        }

        /**
         * For how long instances have to run before shards move for the sake of balance alone. A shorter time gives a new instance its share
         * sooner, and an instance that crashes again and again more shards to drop. Default: a minute; at most a day.
         */
        public Builder settleTime(Duration time) {
            this.settleTime = Objects.requireNonNull(time, "settleTime");
            return this;
        }

        /** How long the work on a shard may take to end before balance leaves the shard alone for ten minutes. Default: 20 seconds; at most a day. */
        public Builder handOverTimeout(Duration time) {
            this.handOverTimeout = Objects.requireNonNull(time, "handOverTimeout");
            return this;
        }

        /** How many shards this instance owns at most. Shards that no instance accepts stay free. Default: 0, all of them. */
        public Builder maxOwned(int shards) {
            this.maxOwned = shards;
            return this;
        }

        /**
         * What this instance runs, for instance the version of the application. While instances differ in it, a rollout is under way: free
         * shards go to the new ones, and no shard moves for the sake of balance. Default: the same for all.
         */
        public Builder revision(String text) {
            this.revision = Participant.revision(Objects.requireNonNull(text, "revision"));
            return this;
        }

        /**
         * Makes the threads that work on shards, one for each shard that is owned, not started. Each must run the task that it is made for: a
         * shard is kept until its task has ended. Default, or null: daemon threads.
         */
        public Builder threads(@Nullable ThreadFactory factory) {
            this.threads = factory;
            return this;
        }

        /**
         * Checks the options.
         *
         * @throws IllegalArgumentException when one of them is out of its bounds; the text says which
         */
        public ShardOptions build() {
            check("startWait", startWait);
            check("settleTime", settleTime);
            check("handOverTimeout", handOverTimeout);
            check("maxOwned", maxOwned);
            check("expectedInstances", expectedInstances);
            return new ShardOptions(new Builder(this));
        }

        private static void check(String name, Duration time) {
            if (time.isNegative() || time.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "%s must be zero to a day, not %s".formatted(Printable.name(name), time));
            }
        }

        private static void check(String name, int number) {
            if (number < 0) {
                throw new IllegalArgumentException(
                        "%s must not be negative, as %d is".formatted(Printable.name(name), number));
            }
        }
    }
}
