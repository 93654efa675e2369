package io.paxoslease.transport.netty;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Logs each message about a subject once, until the subject is well again. Bounded, also in what it writes: who makes up
 * ever new faults is not heard out. Used on the event loops of one node.
 */
final class OnceLog {

    private static final int MAX_SUBJECTS = 1_000;
    private static final int MAX_MESSAGES = 20;

    private final Logger log;
    private final Map<String, Set<String>> said = new HashMap<>();

    OnceLog(Logger log) {
        this.log = log;
    }

    synchronized void warn(String subject, String message) {
        if (said.size() >= MAX_SUBJECTS && !said.containsKey(subject)) {
            said.clear();
        }
        Set<String> messages = said.computeIfAbsent(subject, key -> new HashSet<>());
        if (messages.size() < MAX_MESSAGES && messages.add(message)) {
            log.warn("{}", message);
        } else {
            log.debug("{}", message);
        }
    }

    synchronized void well(String subject) {
        said.remove(subject);
    }
}
