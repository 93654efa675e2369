package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections that were accepted and have not introduced themselves yet. There is always room for one more: when the
 * places are taken, the oldest one from the address that has the most of them is closed. So an address that floods the port
 * displaces its own connections.
 */
final class HandshakeLimiter {

    static final int PLACES = 64;

    static final int PLACES_OF_ONE_HOST = 16;

    private final Map<Channel, String> waiting = new LinkedHashMap<>();

    /** Lets one in, and answers which one has to be closed for it. */
    @Nullable
    Channel enter(Channel channel, String host) {
        Channel displaced = null;
        if (waiting.values().stream().filter(host::equals).count() >= PLACES_OF_ONE_HOST) {
            displaced = oldestOf(host);
        } else if (waiting.size() >= PLACES) {
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
