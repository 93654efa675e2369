package io.paxoslease;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which algorithm agrees on leases, with its settings: the same on every node of a cell. {@link #PAXOSLEASE} is the default. Further
 * modules have the others; applications do not implement this. Immutable.
 */
public interface AlgorithmOptions {

    /** The members of a cell agree by PaxosLease, which relies on nothing but the rate of clocks. It has no settings. */
    AlgorithmOptions PAXOSLEASE = DefaultAlgorithm.PAXOSLEASE;

    /** The algorithm as configuration names it, in lower case: {@code paxoslease}. */
    String algorithm();

    /** Whether nodes are members that agree among themselves; else they meet elsewhere, and have no peers. */
    boolean hasMembers();

    /** The lease time of a node that does not set one; null: the usual one. */
    @Nullable
    Duration defaultLeaseTime();

    /**
     * Checks what is particular to this algorithm, when the options of a node are built.
     *
     * @param peers the node ids of the members
     * @param tls whether connections between nodes are secured
     * @throws InvalidOptionException when the node cannot be set up like this
     */
    void check(Set<String> peers, boolean tls, Duration leaseTime, Duration maxLeaseTime, double clockDrift);
}
