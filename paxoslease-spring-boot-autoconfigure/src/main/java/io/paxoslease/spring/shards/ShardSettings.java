package io.paxoslease.spring.shards;

import io.paxoslease.shards.ShardOptions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of this application's groups of shards.
 *
 * @param groups by name
 */
public record ShardSettings(Map<String, Group> groups) {

    private static final Pattern LEFT_OUT = Pattern.compile("[^A-Za-z0-9_-]");

    /**
     * One group.
     *
     * @param count how many shards it has
     * @param options how this instance participates; its threads are chosen later
     * @param healthGroup the health group that must be up while this instance owns shards; null: none
     */
    public record Group(
            int count, ShardOptions options, @Nullable String healthGroup) {}

    public ShardSettings {
        groups = Collections.unmodifiableMap(new LinkedHashMap<>(groups));
    }

    /**
     * What the properties of that group begin with. Spring Boot leaves dots out of a key that stands in no brackets.
     *
     * @param group the group's name
     */
    public static String property(String group) {
        return "paxoslease.shards." + (group.equals(withoutBrackets(group)) ? group : "[" + group + "]");
    }

    /** What Spring Boot makes of a key that stands in no brackets. */
    static String withoutBrackets(String group) {
        return LEFT_OUT.matcher(group).replaceAll("");
    }
}
