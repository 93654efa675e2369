package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of this application's elections.
 *
 * @param roles settings of roles, by name; these roles are contested even if no bean uses them
 * @param phase phase of the elections among the application's lifecycle beans: they stop after those in higher phases
 * @param awaitsReadiness whether roles are contested only after {@link LeaderElections#begin()}
 * @param health finds the health groups that roles require
 * @param stopTimeout how long a stop waits for the callbacks and guarded calls of each role
 */
public record ElectionSettings(
        Map<String, RoleSettings> roles,
        int phase,
        boolean awaitsReadiness,
        HealthChecks health,
        Duration stopTimeout) {

    /**
     * The default phase: the web server has answered its last request and closed its port by then, and scheduled tasks still run.
     */
    public static final int DEFAULT_PHASE = Integer.MAX_VALUE - 3072;

    public ElectionSettings {
        roles = Collections.unmodifiableMap(new LinkedHashMap<>(roles)); // they are contested in this order
    }

    RoleSettings of(String role) {
        return roles.getOrDefault(role, RoleSettings.DEFAULT);
    }
}
