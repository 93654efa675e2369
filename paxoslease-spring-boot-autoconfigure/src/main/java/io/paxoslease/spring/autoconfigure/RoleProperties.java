package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.ElectionOptions;
import io.paxoslease.spring.leader.ElectionSettings;
import io.paxoslease.spring.leader.RoleSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * One role.
 *
 * @param eligible Whether this node contests the role. If false, the node never leads it.
 * @param leaseTime Longest time that this node keeps other nodes out if it crashes while it leads the role. By default
 *     'paxoslease.lease-time'.
 * @param coolDown How long this node does not contest the role after it has resigned, so that another node wins.
 * @param requiresHealthGroup Name of the health group that must be up while this node contests the role. By default none.
 * @param healthTimeout How long that group may stay down before this node gives the role up. It is contested again when the group is up.
 * @param preference Node ids in order of preference. When this node stops while it leads the role, the first listed node that is ready leads
 *     next. Without a ready node in the list, the youngest ready candidate leads next.
 */
record RoleProperties(
        @DefaultValue("true") boolean eligible,
        @Nullable Duration leaseTime,
        @DefaultValue("1s") Duration coolDown,
        @Nullable String requiresHealthGroup,
        @DefaultValue("10s") Duration healthTimeout,
        @DefaultValue List<String> preference) {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST_COOL_DOWN = Duration.ofDays(1);
    private static final Duration SHORTEST_HEALTH_TIMEOUT = Duration.ofMillis(500);
    private static final Duration LONGEST_HEALTH_TIMEOUT = Duration.ofDays(1);
    /** The default of a store that has no compare-and-set. */
    private static final Duration STORAGE_LEASE_TIME = Duration.ofSeconds(10);

    private static final Duration UNKNOWN = Duration.ofDays(1);

    /**
     * The settings of each configured role.
     *
     * @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change
     */
    static Map<String, RoleSettings> toSettings(PaxosLeaseProperties all) {
        Duration longest = longest(all);
        Duration usual = all.usesStore() ? STORAGE_LEASE_TIME : PaxosLeaseOptions.DEFAULT_LEASE_TIME;
        Duration leaseTime = all.leaseTime();
        Duration time = leaseTime == null ? usual : leaseTime;
        Map<String, RoleSettings> settings = new TreeMap<>();
        all.roles()
                .forEach((name, role) ->
                        settings.put(name, role.toSettings(name, longest.compareTo(time) < 0 ? time : longest)));
        return settings;
    }

    /** The longest lease of the cell, as far as it is configured here: a client that asks its contact points will hear of it. */
    private static Duration longest(PaxosLeaseProperties all) {
        Duration configured = all.maxLeaseTime();
        if (configured != null) {
            return configured;
        }
        return all.contactPoints().isEmpty() ? PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME : UNKNOWN;
    }

    private RoleSettings toSettings(String role, Duration longest) {
        String prefix = ElectionSettings.property(role) + ".";
        if (leaseTime != null && (leaseTime.compareTo(SHORTEST) < 0 || leaseTime.compareTo(longest) > 0)) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "lease-time",
                    leaseTime,
                    "Must be at least 100 ms and at most 'paxoslease.max-lease-time', which is %d ms."
                            .formatted(longest.toMillis()));
        }
        if (coolDown.isNegative() || coolDown.compareTo(LONGEST_COOL_DOWN) > 0) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "cool-down", coolDown, "Must be zero or more, and at most a day.");
        }
        if (healthTimeout.compareTo(SHORTEST_HEALTH_TIMEOUT) < 0
                || healthTimeout.compareTo(LONGEST_HEALTH_TIMEOUT) > 0) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "health-timeout",
                    healthTimeout,
                    "Must be at least 500 ms, as the group is checked five times in that time, and at most a day.");
        }
        String group = StringUtils.hasText(requiresHealthGroup) ? requiresHealthGroup : null;
        try {
            ElectionOptions.builder().preference(preference).build();
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "preference", preference, String.valueOf(e.getMessage()));
        }
        return new RoleSettings(eligible, leaseTime, coolDown, group, healthTimeout, preference);
    }
}
