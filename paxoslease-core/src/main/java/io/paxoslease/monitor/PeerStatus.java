package io.paxoslease.monitor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of another member.
 *
 * @param nodeId the member
 * @param address its configured {@code host:port}
 * @param connected whether messages can be sent to it now
 * @param problem why not, in words; null when connected or not yet known
 * @param refusal why the two nodes do not take each other, {@link ConnectionRefusal#BY_PEER} when it is the member that refuses
 *     this node, {@link ConnectionRefusal#BUSY} or {@link ConnectionRefusal#CLIENTS_REFUSED} when it has no room for this client;
 *     null when connected, or when the problem is another one
 * @param roundTrip how long a message to it and back takes, smoothed, measured every second; null when not connected or
 *     not yet known
 * @param clockOffset by how much the member's wall clock is ahead of this node's, negative when it is behind; null when it
 *     was not compared lately, and with algorithms that do not compare wall clocks
 * @param clockUncertainty by how much the offset may be off; null when that is
 */
public record PeerStatus(
        String nodeId,
        String address,
        boolean connected,
        @Nullable String problem,
        @Nullable ConnectionRefusal refusal,
        @Nullable Duration roundTrip,
        @Nullable Duration clockOffset,
        @Nullable Duration clockUncertainty) {}
