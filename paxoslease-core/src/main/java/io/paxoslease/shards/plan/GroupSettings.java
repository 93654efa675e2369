package io.paxoslease.shards.plan;

import java.time.Duration;

/**
 * How a group is configured at one instance. Only {@code count} must be the same everywhere (S11).
 *
 * @param group its name
 * @param count the number of its shards, 1 to {@value Participant#MAX_COUNT}
 * @param maxOwned the most shards that this instance owns, 1 to count
 * @param expectedInstances a group without an owner starts as soon as so many are active; 0 if that is not known (S9)
 * @param startWait how long a group without an owner waits at most (S9)
 * @param settleTime how long instances run before balance considers them (S6)
 * @param handOverTimeout how long the work on a shard may take to end before balance leaves the shard alone (S7)
 */
public record GroupSettings(
        String group,
        int count,
        int maxOwned,
        int expectedInstances,
        Duration startWait,
        Duration settleTime,
        Duration handOverTimeout) {

    /** How long the participants must be the same before balance moves a shard (S6). */
    static final Duration STEADY = Duration.ofSeconds(2);

    /** For so long at most, young participants hold up balance among the others (S6). */
    static final Duration YOUNG_HOLD_UP = Duration.ofMinutes(5);

    /** For so long after the last change of participants, differing revisions hold up balance (S6). */
    static final Duration REVISIONS_HOLD_UP = Duration.ofMinutes(10);

    /** How long balance leaves a shard alone that could not be moved (S7). */
    static final Duration LEFT_ALONE = Duration.ofMinutes(10);

    /** How many shards move at a time from one instance to another one (S6). */
    static final int AT_A_TIME = 8;

    /** A participant that has not claimed a shard within this time counts as idle (S5). */
    static final Duration IDLE = Duration.ofSeconds(2);

    /** For so long an idle participant is left out of plans (S5). */
    static final Duration LEFT_OUT = Duration.ofSeconds(60);

    /** The least time between two notes, except for the last one (S2). */
    static final Duration BETWEEN_NOTES = Duration.ofSeconds(1);

    /** How long one that leaves waits for the receivers of its shards (S8). */
    static final Duration RECEIVER_WAIT = Duration.ofMillis(200);

    /** @throws IllegalArgumentException if a value is out of its bounds; the text says which */
    public GroupSettings {
        check(count >= 1 && count <= Participant.MAX_COUNT, "count must be 1 to " + Participant.MAX_COUNT, count);
        check(maxOwned >= 1 && maxOwned <= count, "max-owned must be 1 to count", maxOwned);
        check(expectedInstances >= 0, "expected-instances must not be negative", expectedInstances);
        check(!startWait.isNegative(), "start-wait must not be negative", startWait);
        check(!settleTime.isNegative(), "settle-time must not be negative", settleTime);
        check(!handOverTimeout.isNegative(), "hand-over-timeout must not be negative", handOverTimeout);
    }

    private static void check(boolean holds, String otherwise, Object value) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise + ", not " + value);
        }
    }
}
