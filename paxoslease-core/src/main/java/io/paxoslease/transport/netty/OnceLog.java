package io.paxoslease.transport.netty;

import io.paxoslease.ConnectionRefusal;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Warns of each fault of a subject once in ten minutes, until the subject is well again. Faults are kept apart by reason: one
 * that a stranger can cause at will does not hide another. Bounded, also in what it writes: of one reason a few
 * different messages, and what was first said longest ago is forgotten first. Used on the event loop of one node.
 */
final class OnceLog {

    static final int MAX_MESSAGES = 5;
    static final long EXPIRY_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final int MAX_FAULTS = 1_000;

    /** For what is no fault. */
    final Logger plain;

    private final LongSupplier nanos;
    /** By the age of the first message. */
    private final Map<Fault, Said> said = new LinkedHashMap<>();

    private record Fault(String subject, @Nullable ConnectionRefusal reason) {}

    private record Said(long sinceNanos, Set<String> messages) {}

    /** @param nanos a monotonic clock */
    OnceLog(Logger log, LongSupplier nanos) {
        this.plain = log;
        this.nanos = nanos;
    }

    /**
     * @param subject a remote host, or a peer
     * @param reason null when no connection was refused
     */
    synchronized void warn(String subject, @Nullable ConnectionRefusal reason, String message) {
        if (isNews(new Fault(subject, reason), message)) {
            plain.warn("{}", message);
        } else {
            plain.debug("{}", message);
        }
    }

    private boolean isNews(Fault fault, String message) {
        long now = nanos.getAsLong();
        Said before = said.get(fault);
        if (before != null && now - before.sinceNanos() < EXPIRY_NANOS) {
            return before.messages().size() < MAX_MESSAGES && before.messages().add(message);
        }
        said.remove(fault); // to become the youngest
        if (said.size() >= MAX_FAULTS) {
            Iterator<Fault> oldestFirst = said.keySet().iterator();
            oldestFirst.next();
            oldestFirst.remove();
        }
        said.put(fault, new Said(now, new HashSet<>(Set.of(message))));
        return true;
    }

    /** The subject has connected: its next fault is news. */
    synchronized void well(String subject) {
        said.keySet().removeIf(fault -> fault.subject().equals(subject));
    }
}
