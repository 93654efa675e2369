package io.paxoslease.transport.netty;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.LogRate;
import java.util.EnumMap;
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
 * Warns of each fault of a subject once in ten minutes, or until the subject is well again. Faults are kept apart by reason: one that a
 * stranger can cause at will does not hide another. Of one subject and reason it writes five lines in ten minutes at most, whatever else the
 * subject does, and of all remote hosts together a number of lines in a minute. One line a minute says how many were left out. What it
 * remembers is bounded: what was first said longest ago is forgotten first. Used on the event loop of one node.
 */
final class RateLimitedLog {

    static final int MAX_MESSAGES = 5;
    static final long EXPIRY_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** Of all remote hosts together, in a minute. */
    static final int MAX_OF_HOSTS = 60;

    private static final long BETWEEN_SUMMARIES_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** For what is no fault. */
    final Logger plain;

    private final LongSupplier nanos;
    private final Faults ofPeers = new Faults();
    /** Apart, so that no number of hosts makes this node forget what it has said of its peers. */
    private final Faults ofHosts = new Faults();

    private final LogRate rateOfHosts = new LogRate(MAX_OF_HOSTS);
    private final Map<ConnectionRefusal, Long> leftOut = new EnumMap<>(ConnectionRefusal.class);
    private String lastLeftOut = "";
    private long leftOutSinceNanos;

    private record Fault(String subject, @Nullable ConnectionRefusal reason) {}

    /** What was said of one fault. */
    private static final class Said {

        final long sinceNanos;
        final Set<String> messages = new HashSet<>();
        int count;

        Said(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }

        boolean isNews(String message) {
            boolean isNews = count < MAX_MESSAGES && messages.add(message);
            count += isNews ? 1 : 0;
            return isNews;
        }
    }

    /** By the age of the first message. */
    private static final class Faults {

        private static final int MOST = 1_000;

        private final Map<Fault, Said> said = new LinkedHashMap<>();

        boolean isNews(Fault fault, String message, long now) {
            Said before = said.get(fault);
            if (before != null && now - before.sinceNanos < EXPIRY_NANOS) {
                return before.isNews(message);
            }
            said.remove(fault); // to become the youngest
            if (said.size() >= MOST) {
                Iterator<Fault> oldestFirst = said.keySet().iterator();
                oldestFirst.next();
                oldestFirst.remove();
            }
            Said first = new Said(now);
            said.put(fault, first);
            return first.isNews(message);
        }

        void well(String subject) {
            said.forEach((fault, what) -> {
                if (fault.subject().equals(subject)) {
                    what.messages.clear();
                }
            });
        }
    }

    /** @param nanos a monotonic clock */
    RateLimitedLog(Logger log, LongSupplier nanos) {
        this.plain = log;
        this.nanos = nanos;
    }

    /**
     * Of a node that this node looks for itself: the configuration bounds how many there are, and the dialer how often.
     *
     * @param subject a peer
     * @param reason null when no connection was refused
     */
    synchronized void warn(String subject, @Nullable ConnectionRefusal reason, String message) {
        write(ofPeers.isNews(new Fault(subject, reason), message, nanos.getAsLong()), message);
    }

    /**
     * Of a connection that a remote host has made.
     *
     * @param source the host, or the network of one
     */
    synchronized void warnOfHost(String source, ConnectionRefusal reason, String message) {
        long now = nanos.getAsLong();
        boolean isSaid = ofHosts.isNews(new Fault(source, reason), message, now) && rateOfHosts.admits(now);
        if (!isSaid) {
            if (leftOut.isEmpty()) {
                leftOutSinceNanos = now;
            }
            leftOut.merge(reason, 1L, Long::sum);
            lastLeftOut = source;
        }
        write(isSaid, message);
    }

    private void write(boolean isNews, String message) {
        if (isNews) {
            plain.warn("{}", Printable.line(message));
        } else {
            plain.debug("{}", Printable.line(message));
        }
    }

    /** Once a second: says what was left out, when that has lasted a minute. */
    synchronized void tick() {
        if (leftOut.isEmpty() || nanos.getAsLong() - leftOutSinceNanos < BETWEEN_SUMMARIES_NANOS) {
            return;
        }
        plain.warn(
                "In the last minute {} refused connections were not logged one by one, as lines like theirs had been written: {}; the last one of {}",
                leftOut.values().stream().mapToLong(Long::longValue).sum(),
                leftOut.toString(), // as it is now, whenever the line is written
                Printable.name(lastLeftOut));
        leftOut.clear();
    }

    /** The subject has connected: its next fault is news, up to the number of lines that it has. */
    synchronized void well(String subject) {
        ofPeers.well(subject);
        ofHosts.well(subject);
    }
}
