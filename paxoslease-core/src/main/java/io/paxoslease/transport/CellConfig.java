package io.paxoslease.transport;

import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every node of a cell must have in common (section 2, configuration id): a majority of one configuration need not
 * meet a majority of another.
 *
 * @param cell the cell's name
 * @param members the node ids of its members, in order
 * @param maxLeaseTime M
 * @param clockDrift rho
 * @param clockBound epsilon of a cell that runs Flease; null when it runs PaxosLease
 */
public record CellConfig(
        String cell,
        List<NodeId> members,
        Duration maxLeaseTime,
        double clockDrift,
        @Nullable Duration clockBound) {

    public CellConfig {
        members = members.stream().sorted().distinct().toList();
    }

    /** Of PaxosLease. */
    public CellConfig(String cell, List<NodeId> members, Duration maxLeaseTime, double clockDrift) {
        this(cell, members, maxLeaseTime, clockDrift, null);
    }
}
