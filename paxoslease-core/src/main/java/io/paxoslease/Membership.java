package io.paxoslease;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The members and the times of a cell in one generation, as a {@link MembershipStore} keeps them. Immutable.
 *
 * @param generation its number, and the members and times before it
 * @param peers its members: node id to unresolved address
 * @param maxLeaseTime its longest lease
 * @param clockDrift its bound on the rate error of clocks
 */
public record Membership(
        GenerationOptions generation, Map<String, InetSocketAddress> peers, Duration maxLeaseTime, double clockDrift) {

    public Membership {
        peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
        if (peers.isEmpty()) {
            throw new InvalidOptionException("peers", "", "must list the members of the cell");
        }
        OptionChecks.checkMaxLeaseTime("maxLeaseTime", maxLeaseTime);
        OptionChecks.checkDrift("clockDrift", clockDrift);
    }
}
