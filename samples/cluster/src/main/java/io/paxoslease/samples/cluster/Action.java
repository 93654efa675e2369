package io.paxoslease.samples.cluster;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What can be done to one instance, from the console and from the page. */
enum Action {
    /** The process stands still (SIGSTOP): it executes nothing, and its clock goes on. */
    PAUSE,
    /** It goes on (SIGCONT). */
    RESUME,
    /** The network between it and the others carries nothing. */
    PARTITION,
    /** The network carries again. */
    HEAL,
    /** The process is asked to end (SIGTERM). */
    STOP,
    /** The process is ended (SIGKILL). */
    KILL,
    /** A process is started. */
    START;

    /** The action of that name, in any case. */
    static Optional<Action> named(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
