package io.paxoslease.transport.netty;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;

/** Logs one line per subject and reason, until the subject is well again. Bounded. Used on the event loop only. */
final class OnceLog {

    private static final int MAX_REMEMBERED = 1_000;

    private final Logger log;
    private final Set<String> said = new HashSet<>();

    OnceLog(Logger log) {
        this.log = log;
    }

    void warn(String subject, String message) {
        if (said.size() >= MAX_REMEMBERED) {
            said.clear();
        }
        if (said.add(subject + '\n' + message)) {
            log.warn("{}", message);
        } else {
            log.debug("{}", message);
        }
    }

    void well(String subject) {
        said.removeIf(key -> key.startsWith(subject + '\n'));
    }
}
