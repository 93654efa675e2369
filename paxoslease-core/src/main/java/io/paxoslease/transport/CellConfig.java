package io.paxoslease.transport;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every node of a cell must have in common (section 2, configuration id): a majority of one configuration need not
 * meet a majority of another. Generations that follow each other may meet (section 9).
 *
 * @param cell the cell's name
 * @param generation its members and settings, and those before the last change
 * @param clocked the algorithm, when it relies on wall clocks; null: PaxosLease
 */
public record CellConfig(
        String cell, Generation generation, @Nullable Clocked clocked) {

    /** The name of the algorithm that relies on no wall clock, as configuration has it. */
    static final String PAXOSLEASE = "paxoslease";

    /**
     * An algorithm that relies on wall clocks.
     *
     * @param algorithm as configuration names it
     * @param bound how far two nodes' wall clocks are apart at most
     */
    public record Clocked(String algorithm, Duration bound) {}

    /** Of a cell that has never changed. */
    public CellConfig(
            String cell, List<NodeId> members, Duration maxLeaseTime, double clockDrift, @Nullable Clocked clocked) {
        this(cell, Generation.first(new MemberList(members, maxLeaseTime, clockDrift)), clocked);
    }

    /** Of a cell that has never changed, and runs PaxosLease. */
    public CellConfig(String cell, List<NodeId> members, Duration maxLeaseTime, double clockDrift) {
        this(cell, members, maxLeaseTime, clockDrift, null);
    }

    /** How far wall clocks are apart at most; null: the algorithm does not rely on that. */
    public @Nullable Duration clockBound() {
        return clocked == null ? null : clocked.bound();
    }

    /** The algorithm as configuration names it. */
    public String algorithm() {
        return clocked == null ? PAXOSLEASE : clocked.algorithm();
    }

    /** The highest generation that a node which starts with this knows to be sealed; zero: none, as nothing is remembered over a restart. */
    public int sealed() {
        return generation.previous() == null ? generation.number() : 0;
    }

    /** The node ids of the current members, in order. */
    public List<NodeId> members() {
        return generation.current().members();
    }

    /** M. */
    public Duration maxLeaseTime() {
        return generation.current().maxLeaseTime();
    }

    /** rho. */
    public double clockDrift() {
        return generation.current().clockDrift();
    }
}
