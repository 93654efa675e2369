package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

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

    private static final Pattern LEFT_OUT = Pattern.compile("[^A-Za-z0-9_-]");

    public ElectionSettings {
        roles = Collections.unmodifiableMap(new LinkedHashMap<>(roles)); // they are contested in this order
    }

    /**
     * What the properties of that role begin with. Spring Boot leaves most characters out of a key that stands in no brackets.
     *
     * @param role the role's name
     */
    public static String property(String role) {
        return "paxoslease.roles." + (role.equals(withoutBrackets(role)) ? role : "[" + role + "]");
    }

    private static String withoutBrackets(String role) {
        return LEFT_OUT.matcher(role).replaceAll("");
    }

    /** @throws OnLeaderUsageException if the settings are those of the name that Spring Boot makes of this one */
    RoleSettings of(String role) {
        RoleSettings known = roles.get(role);
        String bound = withoutBrackets(role);
        if (known == null && roles.containsKey(bound)) {
            throw new OnLeaderUsageException(
                    "The settings of the role '%s' would not count: Spring Boot reads a key with that name as '%s', unless it stands in brackets."
                            .formatted(Printable.name(role), bound),
                    "Set %s instead of %s; in YAML, a key in brackets stands in quotes."
                            .formatted(property(role), property(bound)));
        }
        return known == null ? RoleSettings.DEFAULT : known;
    }
}
