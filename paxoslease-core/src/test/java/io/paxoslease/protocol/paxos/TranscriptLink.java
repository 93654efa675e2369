package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.TranscriptCell.InFlight;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Some of the messages in flight: those of one kind, those from one node to another, or both; {@code *} is any node. */
record TranscriptLink(String kind, String from, String to) implements Predicate<InFlight> {

    /** As in {@code PROPOSE}, {@code a->b} or {@code PROPOSE *->b}. */
    static final String FORM = "([A-Z]+|(?:[A-Z]+ )?[\\w*]+->[\\w*]+)";

    private static final Pattern PARTS = Pattern.compile("([A-Z]*) ?(?:([\\w*]+)->([\\w*]+))?");

    static TranscriptLink of(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("Not a kind of message: " + text);
        }
        return parts.group(2) == null
                ? new TranscriptLink(parts.group(1), "*", "*")
                : new TranscriptLink(parts.group(1), parts.group(2), parts.group(3));
    }

    @Override
    public boolean test(InFlight message) {
        return (kind.isEmpty() || kind.equals(TranscriptWords.kind(message.message())))
                && isNamed(from, message.from())
                && isNamed(to, message.to());
    }

    private static boolean isNamed(String name, NodeId id) {
        return name.equals("*") || name.equals(id.name());
    }
}
