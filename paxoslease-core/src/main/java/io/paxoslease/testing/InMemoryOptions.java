package io.paxoslease.testing;

import io.paxoslease.Algorithm;
import io.paxoslease.FleaseOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.StorageOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The options of the nodes of an in-memory cell. */
final class InMemoryOptions {

    private static final String NAME = "in-memory";

    private InMemoryOptions() {}

    static Map<String, PaxosLeaseOptions> ofMembers(
            Duration leaseTime, Duration maxLeaseTime, @Nullable FleaseOptions flease, String... nodeIds) {
        return of(leaseTime, maxLeaseTime, nodeIds, builder -> {
            for (int i = 0; i < nodeIds.length; i++) {
                builder.peer(nodeIds[i], NAME + ":" + (i + 1));
            }
            if (flease != null) {
                builder.flease(flease);
            }
        });
    }

    static Map<String, PaxosLeaseOptions> overStorage(Duration leaseTime, StorageOptions storage, String... nodeIds) {
        return of(leaseTime, leaseTime, nodeIds, builder -> builder.storage(storage));
    }

    private static Map<String, PaxosLeaseOptions> of(
            Duration leaseTime, Duration maxLeaseTime, String[] nodeIds, Consumer<PaxosLeaseOptions.Builder> how) {
        Map<String, PaxosLeaseOptions> options = new LinkedHashMap<>();
        for (String id : nodeIds) {
            PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder(id)
                    .cell(NAME)
                    .leaseTime(leaseTime)
                    .maxLeaseTime(maxLeaseTime);
            how.accept(builder);
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
        if (member.algorithm() != Algorithm.PAXOSLEASE) {
            throw new IllegalStateException(
                    "Only cells that run PaxosLease have clients, and this one runs " + member.algorithm());
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
