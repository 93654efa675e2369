package io.paxoslease.spring.autoconfigure;

import io.paxoslease.ConnectionRefusal;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PeerStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether the other members take this node. One that serves and refuses its configuration, or so many that refuse it that no majority is
 * left, mean a wrong set-up, or a change that has only begun: that is better told at the start than by a line in the log. A few that do
 * not serve may be wrong themselves, and must not keep this node down; peers that are not there say nothing.
 */
final class Admission {

    /** A connection of an earlier process of this node, which ended without a word, is in the way for so long. */
    private static final Duration STALE = Duration.ofSeconds(5);

    private static final Duration FIRST_WORD = Duration.ofSeconds(1);
    private static final long STEP_MILLIS = 10;
    /** What says nothing about the set-up: a slow peer, somebody else at its address since instances moved, a fault. */
    private static final Set<ConnectionRefusal> PASSING = EnumSet.of(
            ConnectionRefusal.HANDSHAKE_TIMEOUT,
            ConnectionRefusal.TOO_MANY_CONNECTIONS,
            ConnectionRefusal.MALFORMED,
            ConnectionRefusal.WRONG_NODE,
            ConnectionRefusal.FAULT);

    private final PaxosLease node;
    private final Duration firstWord;
    private final Duration stale;

    Admission(PaxosLease node) {
        this(node, FIRST_WORD, STALE);
    }

    /**
     * @param firstWord how long to wait at most until something is known of every peer
     * @param stale how long a refusal must last
     */
    Admission(PaxosLease node, Duration firstWord, Duration stale) {
        this.node = node;
        this.firstWord = firstWord;
        this.stale = stale;
    }

    /**
     * Returns as soon as nothing is wrong as far as is known; at once when there are no peers.
     *
     * @throws NodeStartException when too many peers refuse this node, or one that serves, and go on doing so
     */
    void await() {
        long begin = System.nanoTime();
        while (!isKnown() && System.nanoTime() - begin < firstWord.toNanos()) {
            if (!pause()) {
                return;
            }
        }
        long end = System.nanoTime() + stale.toNanos();
        while (isHopeless(node.peers())) {
            if (System.nanoTime() - end >= 0) {
                throw explain(node.peers());
            }
            if (!pause()) {
                return;
            }
        }
    }

    private boolean isKnown() {
        List<PeerStatus> peers = node.peers();
        long connected = peers.stream().filter(PeerStatus::connected).count();
        return connected + 1 >= majority(peers)
                || peers.stream().allMatch(peer -> peer.connected() || peer.problem() != null);
    }

    private static int majority(List<PeerStatus> peers) {
        return (peers.size() + 1) / 2 + 1;
    }

    private static boolean isHopeless(List<PeerStatus> peers) {
        long refusing = peers.stream().filter(Admission::isRefusing).count();
        return peers.stream().anyMatch(Admission::servesOtherwise) || peers.size() + 1 - refusing < majority(peers);
    }

    private static boolean isRefusing(PeerStatus peer) {
        ConnectionRefusal refusal = peer.refusal();
        return refusal != null && !PASSING.contains(refusal);
    }

    /** Section 9, G4 of the protocol: a node of this configuration would wait beside it in silence. */
    private static boolean servesOtherwise(PeerStatus peer) {
        return peer.refusal() == ConnectionRefusal.BY_SERVING_PEER;
    }

    /** Whether to go on: who interrupts the start wants it to end. */
    private static boolean pause() {
        try {
            Thread.sleep(STEP_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Of this node's own configuration; where the other's is longer, its nodes are silent for longer after a start. */
    private Duration quarantine() {
        return Duration.ofMillis(Math.round(node.options().maxLeaseTime().toMillis()
                * (1 + node.options().clockDrift())
                / (1 - node.options().clockDrift())));
    }

    private NodeStartException explain(List<PeerStatus> peers) {
        String problems = peers.stream()
                .filter(Admission::isRefusing)
                .map(peer -> "  - " + peer.problem())
                .collect(Collectors.joining("\n"));
        if (peers.stream().anyMatch(Admission::servesOtherwise)) {
            return new NodeStartException(
                    "Node '%s' does not start: its cell serves with another configuration:%n%s%n"
                            .formatted(node.options().nodeId(), problems),
                    "Make what they name the same on every node. To change it for the whole cell, stop every node, wait %s, and start them all with the new configuration."
                            .formatted(quarantine()),
                    null);
        }
        return new NodeStartException(
                "Node '%s' and so many other members do not take each other that it could reach no majority:%n%s%n"
                        .formatted(node.options().nodeId(), problems),
                "Make what they name the same on every node. When it is the node id: give every process its own"
                        + " paxoslease.node-id, or stop the process that has this one.",
                null);
    }
}
