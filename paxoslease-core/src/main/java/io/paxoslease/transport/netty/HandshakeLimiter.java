package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections that were accepted and have not introduced themselves yet. There is always room for one more: when the
 * places are taken, the oldest one from the address that has the most of them is closed. So an address that floods the port
 * displaces its own connections. Members that admit clients have more places, as many clients may come back at once from behind one
 * address when a member restarts.
 */
final class HandshakeLimiter {

    private static final int PLACES = 64;
    private static final int CLIENTS_OF_A_PLACE = 8;
    private static final int MOST_PLACES = 512;
    /** Those that one address never takes. */
    private static final int PLACES_OF_OTHER_HOSTS = 48;

    private final int places;
    private final Map<Channel, String> waiting = new LinkedHashMap<>();

    HandshakeLimiter(int places) {
        this.places = places;
    }

    /** How many connections may be on their way at a time where there are at most so many clients. */
    static int places(int maxClients) {
        return Math.min(PLACES + maxClients / CLIENTS_OF_A_PLACE, MOST_PLACES);
    }

    static int placesOfOneHost(int places) {
        return places - PLACES_OF_OTHER_HOSTS;
    }

    /** Lets one in, and answers which one has to be closed for it. */
    @Nullable
    Channel enter(Channel channel, String host) {
        Channel displaced = null;
        if (waiting.values().stream().filter(host::equals).count() >= placesOfOneHost(places)) {
            displaced = oldestOf(host);
        } else if (waiting.size() >= places) {
            displaced = oldestOf(mostFrequent());
        }
        waiting.remove(displaced);
        waiting.put(channel, host);
        return displaced;
    }

    void leave(Channel channel) {
        waiting.remove(channel);
    }

    private @Nullable Channel oldestOf(String host) {
        for (Map.Entry<Channel, String> entry : waiting.entrySet()) {
            if (entry.getValue().equals(host)) {
                return entry.getKey();
            }
        }
        return null;
    }

    private String mostFrequent() {
        Map<String, Integer> counts = new HashMap<>();
        waiting.values().forEach(host -> counts.merge(host, 1, Integer::sum));
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }
}
