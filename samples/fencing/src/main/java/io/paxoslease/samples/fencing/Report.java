package io.paxoslease.samples.fencing;

import java.util.Optional;

/**
 * One thing that an instance tells the launcher: a line such as {@code @fencing WRITTEN 4 17 0}.
 *
 * @param kind what happened
 * @param number the invoice, or zero
 * @param token the fencing token of the instance, or zero
 * @param latestToken the token that was in the way, or zero
 */
public record Report(Kind kind, long number, long token, long latestToken) {

    private static final String PREFIX = "@fencing ";

    /** What happened. */
    public enum Kind {
        /** The instance has started. */
        READY,
        /** It has begun to lead. */
        LEADS,
        /** It has checked that it leads, and waits before it writes. */
        ABOUT_TO_WRITE,
        /** The invoice is in the database. */
        WRITTEN,
        /** The fence has refused the invoice. */
        REJECTED
    }

    /** The line, without its end. */
    public String toLine() {
        return PREFIX + kind + " " + number + " " + token + " " + latestToken;
    }

    /** The report in that line; empty when it is any other line. */
    static Optional<Report> parse(String line) {
        if (!line.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String[] words = line.substring(PREFIX.length()).split(" ", 4);
        return Optional.of(new Report(
                Kind.valueOf(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3])));
    }
}
