package io.paxoslease.samples.shards;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One thing that an instance tells the launcher: a line such as {@code @shards GRANTED 4 17 0 0}.
 *
 * @param kind what happened
 * @param shard its index, or zero
 * @param token the fencing token of the shard at this instance, or zero
 * @param order its number, or zero
 * @param latestToken the token that was in the way, or zero
 */
public record Report(Kind kind, int shard, long token, long order, long latestToken) {

    private static final String PREFIX = "@shards ";
    private static final Pattern LINE = Pattern.compile(PREFIX + "([A-Z]+) (\\d+) (\\d+) (\\d+) (\\d+)");

    /** What happened. */
    public enum Kind {
        /** The instance has started. */
        READY,
        /** It owns a shard. */
        GRANTED,
        /** Its work on a shard has ended. */
        REVOKED,
        /** The fence has refused to ship an order. */
        REFUSED
    }

    /** The line, without its end. */
    public String toLine() {
        return PREFIX + kind + " " + shard + " " + token + " " + order + " " + latestToken;
    }

    /** The report in that line; empty when it is any other line. */
    static Optional<Report> parse(String line) {
        Matcher words = LINE.matcher(line);
        if (!words.matches()) {
            return Optional.empty();
        }
        return Optional.of(new Report(
                Kind.valueOf(words.group(1)),
                Integer.parseInt(words.group(2)),
                Long.parseLong(words.group(3)),
                Long.parseLong(words.group(4)),
                Long.parseLong(words.group(5))));
    }
}
