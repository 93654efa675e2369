package io.paxoslease.protocol;

import java.time.Duration;
import java.util.List;

/**
 * Who votes, and the settings that all of them must have in common.
 *
 * @param members the node ids, distinct, in one order on every node
 * @param maxLeaseTime M
 * @param clockDrift rho
 */
public record MemberList(List<NodeId> members, Duration maxLeaseTime, double clockDrift) {

    public MemberList {
        members = members.stream().sorted().distinct().toList();
    }

    /** The time rules of a cell that has these members alone. */
    public Timing timing() {
        return new Timing(maxLeaseTime, clockDrift);
    }
}
