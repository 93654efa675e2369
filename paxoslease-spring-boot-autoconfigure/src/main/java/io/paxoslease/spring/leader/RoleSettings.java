package io.paxoslease.spring.leader;

import io.paxoslease.election.ElectionOptions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one role on this node.
 *
 * @param eligible whether this node contests it at all
 * @param leaseTime longest time that this node keeps the others out if it crashes while it leads; null: the node's
 *     lease time
 * @param coolDown how long this node does not contest the role after it has resigned
 * @param healthGroup the health group that must be up while this node contests the role; null: none
 * @param healthTimeout how long that group may stay down before this node gives the role up; positive
 * @param preference the nodes that lead after this one when it stops, in order of preference
 */
public record RoleSettings(
        boolean eligible,
        @Nullable Duration leaseTime,
        Duration coolDown,
        @Nullable String healthGroup,
        Duration healthTimeout,
        List<String> preference) {

    private static final Duration DEFAULT_HEALTH_TIMEOUT = Duration.ofSeconds(10);

    /** Eligible, with the node's lease time and a cool-down of a second. */
    public static final RoleSettings DEFAULT =
            new RoleSettings(true, null, ElectionOptions.DEFAULT_COOL_DOWN, null, DEFAULT_HEALTH_TIMEOUT, List.of());

    /** Copies the list. */
    public RoleSettings {
        preference = List.copyOf(preference);
    }
}
