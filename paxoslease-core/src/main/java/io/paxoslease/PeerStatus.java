package io.paxoslease;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of another member.
 *
 * @param nodeId the member
 * @param address its configured {@code host:port}
 * @param connected whether messages can be sent to it now
 * @param problem why not, in words; null when connected or not yet known
 * @param roundTrip how long a message to it and back takes, smoothed, measured every second; null when not connected or
 *     not yet known
 */
public record PeerStatus(
        String nodeId,
        String address,
        boolean connected,
        @Nullable String problem,
        @Nullable Duration roundTrip) {}
