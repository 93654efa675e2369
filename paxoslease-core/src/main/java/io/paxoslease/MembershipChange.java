package io.paxoslease;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the members of a cell are to become while it serves.
 *
 * @param peers the members after the change: node id to {@code host:port}
 * @param maxLeaseTime the longest lease after the change; null: as it is
 * @param clockDrift the bound on the rate error of clocks after the change; null: as it is
 */
public record MembershipChange(
        Map<String, String> peers,
        @Nullable Duration maxLeaseTime,
        @Nullable Double clockDrift) {

    public MembershipChange {
        peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
    }

    /** Other members, with the times as they are. */
    public static MembershipChange to(Map<String, String> peers) {
        return new MembershipChange(peers, null, null);
    }
}
