package io.paxoslease;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The members and the times of a cell in one generation, as a {@link MembershipStore} keeps them. Immutable.
 *
 * @param generation its number, and the members and times before it
 * @param peers its members: node id to unresolved address
 * @param maxLeaseTime its longest lease
 * @param clockDrift its bound on the rate error of clocks
 * @param sealed whether a member has found that the generation is sealed; one that follows none always is
 * @param previousSealed whether the generation before it was known to be sealed when it was stored; members that have not heard of that seal
 *     move on by it
 */
public record Membership(
        GenerationOptions generation,
        Map<String, InetSocketAddress> peers,
        Duration maxLeaseTime,
        double clockDrift,
        boolean sealed,
        boolean previousSealed) {

    /** One of which nothing is known about the generation before. */
    public Membership(
            GenerationOptions generation,
            Map<String, InetSocketAddress> peers,
            Duration maxLeaseTime,
            double clockDrift,
            boolean sealed) {
        this(generation, peers, maxLeaseTime, clockDrift, sealed, false);
    }

    public Membership {
        peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
        if (peers.isEmpty()) {
            throw new InvalidOptionException("peers", "", "must list the members of the cell");
        }
        OptionChecks.checkMaxLeaseTime("maxLeaseTime", maxLeaseTime);
        OptionChecks.checkDrift("clockDrift", clockDrift);
        sealed |= generation.previous() == null;
        previousSealed &= generation.previous() != null;
    }

    /** The same, and known to be sealed. */
    public Membership whenSealed() {
        return new Membership(generation, peers, maxLeaseTime, clockDrift, true, previousSealed);
    }

    /** Everyone who votes before or after the change that led to it: the members, then those of before only. */
    public Map<String, InetSocketAddress> everyone() {
        return generation.everyone(peers);
    }

    /**
     * What follows when the members change.
     *
     * @throws InvalidOptionException when the members or the times cannot work, or are as they were
     */
    public Membership followedBy(MembershipChange change) {
        Map<String, InetSocketAddress> next = new LinkedHashMap<>();
        change.peers().forEach((id, address) -> next.put(id, PeerAddress.parse("peers", id, address)));
        GenerationOptions.Previous previous = new GenerationOptions.Previous(peers, maxLeaseTime, clockDrift);
        Membership after = new Membership(
                new GenerationOptions(generation.number() + 1, previous),
                next,
                Objects.requireNonNullElse(change.maxLeaseTime(), maxLeaseTime),
                Objects.requireNonNullElse(change.clockDrift(), clockDrift),
                false,
                sealed);
        OptionChecks.checkMembers(after.peers(), after.generation());
        if (after.peers().keySet().equals(peers.keySet())
                && after.maxLeaseTime().equals(maxLeaseTime)
                && after.clockDrift() == clockDrift) {
            throw new InvalidOptionException(
                    "peers",
                    change.peers().keySet(),
                    "are the members of generation %d already: another address is no change of the members, but is configured in the peers, with one restart after the other"
                            .formatted(generation.number()));
        }
        return after;
    }
}
