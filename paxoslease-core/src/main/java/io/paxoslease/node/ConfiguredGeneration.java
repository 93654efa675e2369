package io.paxoslease.node;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The generation of the cell that a node is configured with (section 9). */
public final class ConfiguredGeneration {

    private ConfiguredGeneration() {}

    /** Of a node without peers, which is a cell of one or asks a store, the only member is itself. */
    public static Generation of(PaxosLeaseOptions options) {
        Collection<String> peers = options.peers().isEmpty()
                ? Set.of(options.nodeId())
                : options.peers().keySet();
        return of(options.generation(), peers, options.maxLeaseTime(), options.clockDrift());
    }

    /** Of what a store keeps. */
    static Generation of(Membership membership) {
        return of(
                membership.generation(),
                membership.peers().keySet(),
                membership.maxLeaseTime(),
                membership.clockDrift());
    }

    private static Generation of(
            GenerationOptions generation, Collection<String> peers, Duration maxLeaseTime, double clockDrift) {
        GenerationOptions.Previous previous = generation.previous();
        return new Generation(
                generation.number(),
                list(peers, maxLeaseTime, clockDrift),
                previous == null
                        ? null
                        : list(previous.peers().keySet(), previous.maxLeaseTime(), previous.clockDrift()));
    }

    private static MemberList list(Collection<String> members, Duration maxLeaseTime, double clockDrift) {
        List<NodeId> ids = members.stream().map(NodeId::new).toList();
        return new MemberList(ids, maxLeaseTime, clockDrift);
    }
}
