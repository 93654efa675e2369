package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;

/**
 * A node that waits for a lease at an acceptor (Q14).
 *
 * @param enqueuedCounter since when, as in {@link PaxosMessage.Propose}
 * @param queued whether the acceptor keeps its proposal; otherwise its queue has no room for it
 */
public record Candidate(NodeId node, long enqueuedCounter, boolean queued) {}
