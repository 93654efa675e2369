package io.paxoslease.interleaving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Every switch of one run: which thread was left where, and which one went on. */
public final class InterleavingTrace {

    private final List<String> lines = new ArrayList<>();

    void add(String line) {
        lines.add(line);
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** The place in this project's code that something was thrown from. */
    static String where(Throwable thrown) {
        return Arrays.stream(thrown.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("io.paxoslease."))
                .filter(frame -> !frame.getClassName().startsWith("io.paxoslease.interleaving."))
                .filter(frame -> !frame.getClassName().contains("$$Lambda"))
                .findFirst()
                .map(StackTraceElement::toString)
                .orElse("?");
    }
}
