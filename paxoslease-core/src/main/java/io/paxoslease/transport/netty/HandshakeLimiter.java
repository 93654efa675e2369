package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections that were accepted and have not introduced themselves yet. When the places are taken, an address that has many of them
 * makes room for one that has few: so a flood displaces its own connections. Where no address stands out, all clients may be coming back
 * at once after a restart, and each handshake costs a key exchange: then those that are on their way are left in peace for a while, and
 * newcomers have to try again. Were the oldest displaced for each newcomer, none would ever finish.
 */
final class HandshakeLimiter {

    private static final int PLACES = 64;
    private static final int CLIENTS_OF_A_PLACE = 8;
    private static final int MOST_PLACES = 512;
    /** A virtual machine that has just started takes some milliseconds for a key exchange: so many fit into a fraction of a second. */
    private static final int MOST_PLACES_WITH_TLS = 128;

    /** Those that one address never takes. */
    private static final int PLACES_OF_OTHER_HOSTS = 48;
    /** So many connections of one address are a flood beside an address that has less than half of them. */
    private static final int FLOOD = 16;

    /** For so long a connection is not displaced for one that could as well try again. */
    static final long PEACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final int places;
    private final LongSupplier nanos;
    /** The oldest first. */
    private final Map<Channel, Entered> waiting = new LinkedHashMap<>();

    private record Entered(String host, long atNanos) {}

    /** @param nanos a monotonic clock */
    HandshakeLimiter(int places, LongSupplier nanos) {
        this.places = places;
        this.nanos = nanos;
    }

    /** How many connections may be on their way at a time where there are at most so many clients. */
    static int places(int maxClients, boolean tls) {
        return Math.min(PLACES + maxClients / CLIENTS_OF_A_PLACE, tls ? MOST_PLACES_WITH_TLS : MOST_PLACES);
    }

    static int placesOfOneHost(int places) {
        return places - PLACES_OF_OTHER_HOSTS;
    }

    /** Lets one in, unless there is no room, and answers which one has to be closed: none, another one, or this one. */
    @Nullable
    Channel enter(Channel channel, String host) {
        Channel closed = null;
        long own = count(host);
        if (own >= placesOfOneHost(places)) {
            closed = oldestIfLong(host, channel);
        } else if (waiting.size() >= places) {
            String most = mostFrequent();
            closed = count(most) >= FLOOD && count(most) > 2 * (own + 1) ? oldestOf(most) : oldestIfLong(null, channel);
        }
        if (closed != channel) {
            waiting.remove(closed);
            waiting.put(channel, new Entered(host, nanos.getAsLong()));
        }
        return closed;
    }

    void leave(Channel channel) {
        waiting.remove(channel);
    }

    private long count(String host) {
        return waiting.values().stream()
                .filter(each -> each.host().equals(host))
                .count();
    }

    private Channel oldestIfLong(@Nullable String host, Channel otherwise) {
        Channel oldest = Objects.requireNonNull(oldestOf(host));
        Entered entered = Objects.requireNonNull(waiting.get(oldest));
        return nanos.getAsLong() - entered.atNanos() >= PEACE_NANOS ? oldest : otherwise;
    }

    /** @param host null: of any */
    private @Nullable Channel oldestOf(@Nullable String host) {
        for (Map.Entry<Channel, Entered> entry : waiting.entrySet()) {
            if (host == null || entry.getValue().host().equals(host)) {
                return entry.getKey();
            }
        }
        return null;
    }

    private String mostFrequent() {
        Map<String, Integer> counts = new HashMap<>();
        waiting.values().forEach(each -> counts.merge(each.host(), 1, Integer::sum));
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }
}
