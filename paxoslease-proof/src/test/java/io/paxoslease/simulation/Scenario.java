package io.paxoslease.simulation;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All that one seed decides before a run: the cell, its machines, its links, what goes wrong.
 *
 * @param acceptors how many nodes are members, at one time or another
 * @param resources how many leases are fought for
 * @param maxLeaseNanos M
 * @param leaseNanos the nodes' default lease time
 * @param drift rho
 * @param clockBoundNanos epsilon of Flease; zero: the cell runs PaxosLease
 * @param machines one for each node, members first
 * @param coarseWall whether wall clocks tick in milliseconds
 * @param encoded whether messages travel as bytes
 * @param inOrder whether links keep the order of messages
 * @param linkNanos the longest time that an undisturbed message takes
 * @param tokensGrow whether the wall clocks are good enough for tokens to grow, as section 7 asks in PaxosLease
 * @param heals whether the wall clocks of a majority are in the end near enough to each other for anybody to be served at all
 * @param safetyNanos how long things go wrong
 * @param changes how the members change meanwhile; null: they do not
 */
record Scenario(
        long seed,
        int acceptors,
        int resources,
        long maxLeaseNanos,
        long leaseNanos,
        double drift,
        long clockBoundNanos,
        List<Machine> machines,
        boolean coarseWall,
        boolean encoded,
        boolean inOrder,
        long linkNanos,
        boolean tokensGrow,
        boolean heals,
        long safetyNanos,
        List<Fault> faults,
        @Nullable Changes changes) {

    /**
     * @param origin what the monotonic clock shows at the start
     * @param rateMillionths its rate
     * @param wallOffsetMicros how far the wall clock is off
     * @param sway how it is steered meanwhile
     * @param upNanos how long the process has run, without a node, at the start
     */
    record Machine(long origin, long rateMillionths, long wallOffsetMicros, Sway sway, long upNanos) {}

    /**
     * A wall clock that is kept near the right time: it is slow and fast in turn, and off by so much at most.
     *
     * @param rateMillionths by how much slow and fast
     */
    record Sway(long mostMicros, long rateMillionths) {

        static final Sway NONE = new Sway(0, 0);

        /** How far the clock is off at that real time. */
        long atMicros(long realNanos) {
            if (mostMicros == 0) {
                return 0;
            }
            long way = Math.floorMod(realNanos / 1_000 * rateMillionths / 1_000_000, 4 * mostMicros);
            return way <= mostMicros ? way : way <= 3 * mostMicros ? 2 * mostMicros - way : way - 4 * mostMicros;
        }
    }

    boolean isFlease() {
        return clockBoundNanos > 0;
    }

    /** How long a Flease node that lost its memory is silent: all that it forgot is over by then on every clock. */
    long recoveryNanos() {
        return (long) Math.ceil((maxLeaseNanos + clockBoundNanos) * (1 + drift) / (1 - drift));
    }

    int nodes() {
        return machines.size();
    }

    /** D_Q = M x gamma, rounded up, worked out here once more: what an acceptor without memory owes the others. */
    long quarantineNanos() {
        return (long) Math.ceil(maxLeaseNanos * (1 + drift) / (1 - drift));
    }

    /** The configuration that the cell begins with. */
    Generation firstFile() {
        Changes planned = changes;
        return planned != null
                ? planned.files().get(0)
                : Generation.first(new MemberList(
                        IntStream.range(0, acceptors).mapToObj(Scenario::id).toList(),
                        Duration.ofNanos(maxLeaseNanos),
                        drift));
    }

    static NodeId id(int node) {
        return new NodeId("n" + node);
    }

    /** The longest that a node with any of the files is silent after a start. */
    long longestSilenceNanos() {
        return changes == null
                ? quarantineNanos()
                : changes.files().stream()
                        .mapToLong(file -> quarantineNanos(file, false))
                        .max()
                        .orElseThrow();
    }

    /** D_Q of that configuration: until its seal that of both lists together. */
    static long quarantineNanos(Generation file, boolean sealed) {
        MemberList before = sealed || file.previous() == null ? file.current() : file.previous();
        long longest = Math.max(
                file.current().maxLeaseTime().toNanos(), before.maxLeaseTime().toNanos());
        double drift = Math.max(file.current().clockDrift(), before.clockDrift());
        return (long) Math.ceil(longest * (1 + drift) / (1 - drift));
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
        text.append(drift)
                .append(isFlease() ? ", epsilon " + clockBoundNanos / 1e6 + " ms" : "")
                .append(", faults for ")
                .append(safetyNanos / 1e6)
                .append(" ms, links up to ");
        text.append(linkNanos / 1e6).append(inOrder ? " ms, in order" : " ms, in any order");
        text.append(encoded ? ", encoded" : "").append(tokensGrow ? ", tokens grow" : ", tokens not checked");
        text.append(heals ? "\n" : ", nobody need be served in the end\n");
        for (int i = 0; i < nodes(); i++) {
            text.append("  n").append(i).append(' ').append(machines.get(i)).append('\n');
        }
        if (changes != null) {
            text.append(changes.describe());
        }
        faults.forEach(fault -> text.append("  ").append(fault).append('\n'));
        return text.toString();
    }
}
