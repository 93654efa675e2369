package io.paxoslease.spring.autoconfigure;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * This application's node.
 *
 * @param enabled Whether to take part in leader election and locking. When it is off, a bean with an @OnLeader method
 *     stops the application from starting.
 * @param nodeId Unique name of this node in the cell, one of those in 'paxoslease.peers'. It stays the same over
 *     restarts. Required when there are peers.
 * @param peers Members of the cell, this node included: node id to 'host:port', the same on every node. An id that is not
 *     made of lower-case letters, digits and dashes goes in brackets. Without peers this node is a cell of its own.
 * @param cell Name of the cell, the same on every node. Nodes of another cell are refused.
 * @param leaseTime How long the others wait at most when the holder of a lease has died.
 * @param maxLeaseTime Longest lease of the cell, the same on every node. A node that starts is silent for somewhat longer.
 *     By default 5s, or the lease time where that is longer.
 * @param clockDrift Bound on the rate error of any node's monotonic clock, the same on every node.
 * @param bindHost Address to listen on. By default this node's host in 'paxoslease.peers'.
 */
@ConfigurationProperties("paxoslease")
record PaxosLeaseProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String nodeId,
        @DefaultValue Map<String, String> peers,
        @DefaultValue("paxoslease") String cell,
        @DefaultValue("3s") Duration leaseTime,
        @Nullable Duration maxLeaseTime,
        @DefaultValue("0.1") double clockDrift,
        @Nullable String bindHost) {

    /** The node's id when there are neither peers nor an id. */
    static final String LOCAL_NODE_ID = "local";

    private static final String PREFIX = "paxoslease.";

    /** @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change */
    PaxosLeaseOptions toOptions() {
        try {
            PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder(requiredNodeId())
                    .peers(peers)
                    .cell(cell)
                    .leaseTime(leaseTime)
                    .clockDrift(clockDrift)
                    .bindHost(StringUtils.hasText(bindHost) ? bindHost : null);
            if (maxLeaseTime != null) {
                builder.maxLeaseTime(maxLeaseTime);
            }
            return builder.build();
        } catch (InvalidOptionException invalid) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + kebabCase(invalid.option()), invalid.value(), sentence(invalid.reason()), invalid);
        }
    }

    private String requiredNodeId() {
        if (nodeId != null && StringUtils.hasText(nodeId)) {
            return nodeId;
        }
        if (peers.isEmpty()) {
            return LOCAL_NODE_ID;
        }
        throw new InvalidConfigurationPropertyValueException(
                PREFIX + "node-id",
                nodeId,
                "Is required with 'paxoslease.peers': set it to this node's id, which is one of %s and another on every node."
                        .formatted(peers.keySet()));
    }

    private static String kebabCase(String option) {
        return option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String sentence(String reason) {
        return StringUtils.capitalize(reason) + ".";
    }
}
