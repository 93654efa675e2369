package io.paxoslease.spring.leader;

/**
 * What became of the calls of {@link OnLeader} methods of one role, since the application's start.
 *
 * @param refused calls that did not run, because this node did not lead
 * @param interrupted calls whose thread was interrupted because leadership ended
 * @param overrun calls that returned normally although leadership had ended: what they did may have met the next leader's
 *     work
 */
public record GuardedCallCounts(long refused, long interrupted, long overrun) {}
