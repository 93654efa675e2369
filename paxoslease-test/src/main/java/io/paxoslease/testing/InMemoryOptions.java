package io.paxoslease.testing;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The options of the nodes of an in-memory cell. */
final class InMemoryOptions {

    private static final String NAME = "in-memory";

    private InMemoryOptions() {}

    static Map<String, PaxosLeaseOptions> of(
            Duration leaseTime, Duration maxLeaseTime, AlgorithmOptions algorithm, String... nodeIds) {
        Objects.requireNonNull(algorithm, "algorithm");
        boolean hasMembers = algorithm.hasMembers();
        Map<String, PaxosLeaseOptions> options = new LinkedHashMap<>();
        for (String id : nodeIds) {
            PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder(id)
                    .cell(NAME)
                    .algorithm(algorithm)
                    .leaseTime(leaseTime)
                    .maxLeaseTime(maxLeaseTime);
            for (int i = 0; hasMembers && i < nodeIds.length; i++) {
                builder.peer(nodeIds[i], NAME + ":" + (i + 1));
            }
            if (options.put(id, builder.build()) != null) {
                throw new InvalidOptionException("nodeIds", id, "is listed twice; give each node an id of its own");
            }
        }
        if (options.isEmpty()) {
            throw new IllegalArgumentException(
                    "A cell has at least one node: name it, for instance InMemoryCell.of(\"a\", \"b\", \"c\")");
        }
        return options;
    }

    /** Of a client of the cell that the member is of. */
    static PaxosLeaseOptions ofClient(String id, PaxosLeaseOptions member) {
        if (member.algorithm() != AlgorithmOptions.PAXOSLEASE) {
            throw new IllegalStateException("Only cells that run PaxosLease have clients, and this one runs '%s'"
                    .formatted(member.algorithm().algorithm()));
        }
        PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder(id)
                .cell(member.cell())
                .mode(NodeMode.CLIENT)
                .application(id)
                .leaseTime(member.leaseTime())
                .maxLeaseTime(member.maxLeaseTime());
        member.peers().forEach((peer, address) -> builder.peer(peer, NAME + ":" + address.getPort()));
        return builder.build();
    }
}
