package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of this application's elections.
 *
 * @param roles settings of roles, by name; these roles are contested even if no bean uses them
 * @param phase phase of the elections among the application's lifecycle beans: they stop after those in higher phases
 * @param startsReady whether roles are contested once the application is ready, or already once it has started
 * @param stopTimeout how long a stop waits for the callbacks and guarded calls of each role
 * @param urls where the nodes of the cell serve HTTP
 */
public record ElectionSettings(
        Map<String, RoleSettings> roles, int phase, boolean startsReady, Duration stopTimeout, Urls urls) {

    /**
     * The default phase: the web server has answered its last request and closed its port by then, and scheduled tasks still run.
     */
    public static final int DEFAULT_PHASE = Integer.MAX_VALUE - 3072;

    /** Spring Boot's default time for the stop of a phase. */
    static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(27);

    private static final Pattern LEFT_OUT = Pattern.compile("[^A-Za-z0-9_-]");

    /**
     * Where the nodes of the cell serve HTTP.
     *
     * @param template base URL of each member, with places for its id or host; null if there is none
     * @param byNode base URLs of single nodes, by node id
     * @param redirect whether requests for the leader are redirected to its URL
     * @param allowed patterns of the URLs that leaders may advertise
     * @param advertised base URL of this instance, which it advertises when it leads; null: none
     */
    public record Urls(
            @Nullable String template,
            Map<String, String> byNode,
            boolean redirect,
            List<String> allowed,
            @Nullable String advertised) {

        /** No node has a URL. */
        public static final Urls NONE = new Urls(null, Map.of(), false, List.of(), null);

        /** The note of each lease of a role that this instance leads; null: none. */
        @Nullable
        String note() {
            return advertised == null ? null : AdvertisedUrl.note(AdvertisedUrl.checked(advertised));
        }
    }

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

    /** Settings without configured roles and URLs. */
    static ElectionSettings defaults() {
        return new ElectionSettings(Map.of(), DEFAULT_PHASE, true, DEFAULT_STOP_TIMEOUT, Urls.NONE);
    }

    /** @throws AnnotationUsageException if the settings are those of the name that Spring Boot makes of this one */
    RoleSettings of(String role) {
        RoleSettings known = roles.get(role);
        String bound = withoutBrackets(role);
        if (known == null && roles.containsKey(bound)) {
            throw new AnnotationUsageException(
                    "The settings of the role '%s' would not count: Spring Boot reads a key with that name as '%s', unless it stands in brackets."
                            .formatted(Printable.name(role), bound),
                    "Set %s instead of %s; in YAML, a key in brackets stands in quotes."
                            .formatted(property(role), property(bound)));
        }
        return known == null ? RoleSettings.DEFAULT : known;
    }
}
