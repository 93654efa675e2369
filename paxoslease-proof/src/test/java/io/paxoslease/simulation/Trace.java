package io.paxoslease.simulation;

import java.util.ArrayDeque;
import java.util.Locale;

/** The last lines of what happened, for people. Off unless wanted: making text takes most of a run's time. */
final class Trace {

    private final boolean on;
    private final int longest;
    private final ArrayDeque<String> lines = new ArrayDeque<>();

    Trace(boolean on, int longest) {
        this.on = on;
        this.longest = longest;
    }

    /** To be asked before a line is made. */
    boolean isOn() {
        return on;
    }

    /** @param who the node, or what else it is about */
    void note(long now, String who, String what) {
        if (on) {
            lines.add(String.format(Locale.ROOT, "%12.6f ms  %-4s %s", now / 1e6, who, what));
            if (lines.size() > longest) {
                lines.remove();
            }
        }
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
