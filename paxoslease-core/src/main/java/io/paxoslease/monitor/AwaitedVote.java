package io.paxoslease.monitor;

import java.time.Duration;

/**
 * The vote that the other members lack for a majority without this node, and will soon have.
 *
 * @param member the connected member that completes the majority when its quarantine ends
 * @param within how long that takes at most
 */
public record AwaitedVote(String member, Duration within) {}
