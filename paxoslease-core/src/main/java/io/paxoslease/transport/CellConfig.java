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
 * @param eventLoops how many shards every node has, each a cell of its own for its resources
 * @param clockBound epsilon of a cell that runs Flease; null when it runs PaxosLease
 */
public record CellConfig(
        String cell,
        List<NodeId> members,
        Duration maxLeaseTime,
        double clockDrift,
        int eventLoops,
        @Nullable Duration clockBound) {

    /** The most shards that a node may have. */
    public static final int MAX_EVENT_LOOPS = 16;

    public CellConfig {
        members = members.stream().sorted().distinct().toList();
        if (eventLoops < 1 || eventLoops > MAX_EVENT_LOOPS) {
            throw new IllegalArgumentException("1 to %d event loops, not %d".formatted(MAX_EVENT_LOOPS, eventLoops));
        }
    }

    /** Of PaxosLease. */
    public CellConfig(String cell, List<NodeId> members, Duration maxLeaseTime, double clockDrift, int eventLoops) {
        this(cell, members, maxLeaseTime, clockDrift, eventLoops, null);
    }

    /** Of PaxosLease, with one event loop. */
    public CellConfig(String cell, List<NodeId> members, Duration maxLeaseTime, double clockDrift) {
        this(cell, members, maxLeaseTime, clockDrift, 1);
    }
}
