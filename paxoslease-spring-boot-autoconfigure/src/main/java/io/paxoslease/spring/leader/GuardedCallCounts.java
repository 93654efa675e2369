package io.paxoslease.spring.leader;

/**
 * Counts of the calls of {@link OnLeader} methods of one role, since the application's start.
 *
 * @param skipped calls that were skipped, because this node did not lead; with {@code otherwise = FAIL}, calls that
 *     failed
 * @param interrupted calls whose thread was interrupted because leadership ended
 * @param overrun calls that returned normally after their leadership had ended: their work may have overlapped the next
 *     leader's
 */
public record GuardedCallCounts(long skipped, long interrupted, long overrun) {}
