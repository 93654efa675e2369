package io.paxoslease.samples.cluster;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One thing that an instance tells the launcher: a line such as {@code @cluster granted role=billing token=17 at=42}.
 *
 * @param kind what happened
 * @param values the particulars; neither names nor values contain blanks
 */
public record Report(Kind kind, Map<String, String> values) {

    private static final String PREFIX = "@cluster ";

    /** What happened. */
    public enum Kind {
        /** The instance has started. */
        READY,
        /** It leads. */
        GRANTED,
        /** It no longer leads. */
        REVOKED,
        /** The leader's job ran. */
        TICK,
        /** It has counted. */
        COUNTER,
        /** It found that a count had been overwritten. */
        LOST_UPDATE
    }

    /** A report without particulars. */
    public static Report of(Kind kind) {
        return new Report(kind, Map.of());
    }

    /** The same with one more particular. */
    public Report with(String name, Object value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(name, String.valueOf(value));
        return new Report(kind, more);
    }

    /** The particular of that name as a number; zero when there is none. */
    public long number(String name) {
        return Long.parseLong(values.getOrDefault(name, "0"));
    }

    /** The line, without its end. */
    public String toLine() {
        String particulars = values.entrySet().stream()
                .map(each -> " " + each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining());
        return PREFIX + kind.name().toLowerCase(Locale.ROOT) + particulars;
    }

    /** The report in that line; empty when it is any other line. */
    public static Optional<Report> parse(String line) {
        if (!line.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String[] words = line.substring(PREFIX.length()).split(" ");
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.name().equalsIgnoreCase(words[0]))
                .findFirst()
                .map(kind -> new Report(kind, particulars(words)));
    }

    private static Map<String, String> particulars(String[] words) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words) {
            int separator = word.indexOf('=');
            if (separator > 0) {
                values.put(word.substring(0, separator), word.substring(separator + 1));
            }
        }
        return values;
    }
}
