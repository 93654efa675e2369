package io.paxoslease.simulation;

import java.util.List;

/**
 * All that one seed decides before a run: the cell, its machines, its links, what goes wrong.
 *
 * @param acceptors how many nodes are members
 * @param resources how many leases are fought for
 * @param maxLeaseNanos M
 * @param leaseNanos the nodes' default lease time
 * @param drift rho
 * @param machines one for each node, members first
 * @param coarseWall whether wall clocks tick in milliseconds
 * @param encoded whether messages travel as bytes
 * @param inOrder whether links keep the order of messages
 * @param linkNanos the longest time that an undisturbed message takes
 * @param tokensGrow whether the wall clocks keep to section 7
 * @param heals whether the wall clocks of a majority are near enough to each other for anybody to be served at all
 * @param safetyNanos how long things go wrong
 */
record Scenario(
        long seed,
        int acceptors,
        int resources,
        long maxLeaseNanos,
        long leaseNanos,
        double drift,
        List<Machine> machines,
        boolean coarseWall,
        boolean encoded,
        boolean inOrder,
        long linkNanos,
        boolean tokensGrow,
        boolean heals,
        long safetyNanos,
        List<Fault> faults) {

    /**
     * @param origin what the monotonic clock shows at the start
     * @param rateMillionths its rate
     * @param wallOffsetMicros how far the wall clock is off
     * @param upNanos how long the process has run, without a node, at the start
     */
    record Machine(long origin, long rateMillionths, long wallOffsetMicros, long upNanos) {}

    int nodes() {
        return machines.size();
    }

    /** D_Q = M x gamma, rounded up, worked out here once more: what an acceptor without memory owes the others. */
    long quarantineNanos() {
        return (long) Math.ceil(maxLeaseNanos * (1 + drift) / (1 - drift));
    }

    String describe() {
        StringBuilder text = new StringBuilder(1_000);
        text.append("seed ").append(seed).append(": ").append(acceptors).append(" acceptors, ");
        text.append(nodes() - acceptors)
                .append(" more proposers, ")
                .append(resources)
                .append(" resources, M ");
        text.append(maxLeaseNanos / 1e6)
                .append(" ms, lease ")
                .append(leaseNanos / 1e6)
                .append(" ms, rho ");
        text.append(drift).append(", faults for ").append(safetyNanos / 1e6).append(" ms, links up to ");
        text.append(linkNanos / 1e6).append(inOrder ? " ms, in order" : " ms, in any order");
        text.append(encoded ? ", encoded" : "").append(tokensGrow ? ", tokens grow" : ", tokens not checked");
        text.append(heals ? "\n" : ", nobody need be served in the end\n");
        for (int i = 0; i < nodes(); i++) {
            text.append("  n").append(i).append(' ').append(machines.get(i)).append('\n');
        }
        faults.forEach(fault -> text.append("  ").append(fault).append('\n'));
        return text.toString();
    }
}
