package io.paxoslease.spring.leader;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one role on this node.
 *
 * @param eligible whether this node contests it at all
 * @param leaseTime longest time that this node keeps the others out if it crashes while it leads; null: the node's
 *     lease time
 * @param coolDown how long this node does not contest the role after it has resigned
 * @param health the health that the role requires of its leader; null: none
 */
public record RoleSettings(
        boolean eligible,
        @Nullable Duration leaseTime,
        Duration coolDown,
        @Nullable RequiredHealth health) {

    /** Eligible, with the node's lease time and a cool-down of a second. */
    public static final RoleSettings DEFAULT =
            new RoleSettings(true, null, io.paxoslease.election.ElectionOptions.DEFAULT_COOL_DOWN, null);
}
