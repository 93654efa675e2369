package io.paxoslease.spring.autoconfigure;

import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardOptions;
import io.paxoslease.spring.autoconfigure.PaxosLeaseProperties.Algorithm;
import io.paxoslease.spring.shards.ShardSettings;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * One group of shards.
 *
 * @param count Number of shards, 1 to 4096, the same on every instance. It never changes for a name: choose about ten for each instance that you
 *     will ever have. Required.
 * @param startWait How long a group without an owner waits for more instances, so that the first one does not take all shards. By default 3s, and 0
 *     for a standalone node.
 * @param settleTime How long instances must have run before shards move for balance alone.
 * @param handOverTimeout How long the work on a shard may take to end. A stop of the application waits for that long, and balance leaves a shard alone
 *     whose work takes longer.
 * @param maxOwned The most shards that this instance owns. Shards that no instance accepts stay without an owner. By default all.
 * @param expectedInstances A group without an owner waits no longer when that many instances participate. By default unknown.
 * @param requiresHealthGroup Name of the health group that must be up while this instance owns shards. By default none.
 * @param revision What this instance runs. While instances differ in it, a rollout is under way: shards without an owner go to the new instances, and
 *     none moves for balance. By default the application's version and a hash of its configuration files, without what differs between hosts.
 */
record ShardGroupProperties(
        @Nullable Integer count,
        @Nullable Duration startWait,
        @DefaultValue("60s") Duration settleTime,
        @DefaultValue("20s") Duration handOverTimeout,
        @Nullable Integer maxOwned,
        @Nullable Integer expectedInstances,
        @Nullable String requiresHealthGroup,
        @Nullable String revision) {

    private static final Duration LONGEST = Duration.ofDays(1);
    /** A node watches 64 prefixes, two for each group, and roles have one. */
    private static final int MOST_GROUPS = 31;
    /** As many as may participate. */
    private static final int MOST_INSTANCES = 256;

    /**
     * The settings of each configured group.
     *
     * @param revision of the application; asked only if a group needs it
     * @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change
     */
    static ShardSettings toSettings(PaxosLeaseProperties all, Supplier<String> revision) {
        Map<String, ShardSettings.Group> settings = new TreeMap<>();
        all.shards().forEach((name, group) -> settings.put(name, group.toSettings(name, all.standalone(), revision)));
        if (!settings.isEmpty() && all.algorithm() != Algorithm.PAXOSLEASE) {
            throw new InvalidConfigurationPropertyValueException(
                    PaxosLeaseProperties.PREFIX + "algorithm",
                    all.algorithm(),
                    "Groups of shards (%s) need PaxosLease: remove the property, or remove the groups and elect a leader with @OnLeader."
                            .formatted(ShardSettings.property(
                                    settings.keySet().iterator().next())));
        }
        if (settings.size() > MOST_GROUPS) {
            throw new InvalidConfigurationPropertyValueException(
                    PaxosLeaseProperties.PREFIX + "shards",
                    settings.size() + " groups",
                    "An application has at most %d groups of shards: let groups share work, or spread them over several applications."
                            .formatted(MOST_GROUPS));
        }
        return new ShardSettings(settings);
    }

    private ShardSettings.Group toSettings(String group, boolean isStandalone, Supplier<String> ofApplication) {
        String prefix = ShardSettings.property(group) + ".";
        if (count == null) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "count",
                    null,
                    "Is required: the number of shards, the same on every instance; about ten for each instance that you will ever have.");
        }
        check(prefix + "count", count, ShardGroup.MAX_COUNT, "It never changes for the name of a group.");
        check(
                prefix + "max-owned",
                maxOwned,
                count,
                "At most %s.count; leave it out to own any number.".formatted(ShardSettings.property(group)));
        check(
                prefix + "expected-instances",
                expectedInstances,
                MOST_INSTANCES,
                "Leave it out if you do not know how many instances will start.");
        Duration standard = isStandalone ? Duration.ZERO : ShardOptions.DEFAULT_START_WAIT;
        Duration wait = startWait == null ? standard : startWait;
        check(prefix + "start-wait", wait);
        check(prefix + "settle-time", settleTime);
        check(prefix + "hand-over-timeout", handOverTimeout);
        ShardOptions options = ShardOptions.builder()
                .startWait(wait)
                .settleTime(settleTime)
                .handOverTimeout(handOverTimeout)
                .maxOwned(maxOwned == null ? 0 : maxOwned)
                .expectedInstances(expectedInstances == null ? 0 : expectedInstances)
                .revision(revision != null && StringUtils.hasText(revision) ? revision : ofApplication.get())
                .build();
        return new ShardSettings.Group(
                count, options, StringUtils.hasText(requiresHealthGroup) ? requiresHealthGroup : null);
    }

    private static void check(String property, @Nullable Integer value, int most, String advice) {
        if (value != null && (value < 1 || value > most)) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, "Must be from 1 to %,d. %s".formatted(most, advice));
        }
    }

    private static void check(String property, Duration value) {
        if (value.isNegative() || value.compareTo(LONGEST) > 0) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, "Must be zero or more, and at most a day.");
        }
    }
}
