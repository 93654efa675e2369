package io.paxoslease.transport.netty;

import io.paxoslease.monitor.ConnectionRefusal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What of a node's connections outlives its stops and starts: its TLS set-up, and how many were refused. Any thread. */
public final class Security {

    /** So long may a connection of the set-up before last, which cannot be made anew, go on. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    private final Map<ConnectionRefusal, Long> refusals = new ConcurrentHashMap<>();
    private final Duration grace;
    private volatile @Nullable TlsSetup tls;

    /** @param tls null for connections without TLS */
    public Security(@Nullable TlsSetup tls) {
        this(tls, GRACE);
    }

    Security(@Nullable TlsSetup tls, Duration grace) {
        this.tls = tls;
        this.grace = grace;
    }

    /** Connections are made and accepted with this set-up from now on; those that are open are made anew, one by one. */
    public void tls(TlsSetup setup) {
        tls = setup;
    }

    /** What is wrong with the validity of the certificate in use; null when nothing is, or without TLS. */
    public @Nullable String validityProblem() {
        TlsSetup setup = tls;
        return setup == null ? null : setup.validityProblem();
    }

    @Nullable
    TlsSetup tls() {
        return tls;
    }

    Duration grace() {
        return grace;
    }

    void count(ConnectionRefusal reason) {
        refusals.merge(reason, 1L, Long::sum);
    }

    public long refused(ConnectionRefusal reason) {
        return refusals.getOrDefault(reason, 0L);
    }

    public Map<ConnectionRefusal, Long> refused() {
        Map<ConnectionRefusal, Long> counts = new EnumMap<>(ConnectionRefusal.class);
        for (ConnectionRefusal reason : ConnectionRefusal.values()) {
            counts.put(reason, refused(reason));
        }
        return counts;
    }
}
