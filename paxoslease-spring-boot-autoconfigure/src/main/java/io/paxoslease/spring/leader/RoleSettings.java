package io.paxoslease.spring.leader;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How this node stands for one role.
 *
 * @param eligible whether this node stands for it at all
 * @param leaseTime how long this node keeps the others out at most when it leads and has died; null: the node's lease time
 * @param coolDown how long this node stands back after it has given the role up
 */
public record RoleSettings(boolean eligible, @Nullable Duration leaseTime, Duration coolDown) {

    /** Eligible, with the node's lease time and a cool-down of a second. */
    public static final RoleSettings DEFAULT =
            new RoleSettings(true, null, io.paxoslease.election.ElectionOptions.DEFAULT_COOL_DOWN);
}
