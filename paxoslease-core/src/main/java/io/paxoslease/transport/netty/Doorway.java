package io.paxoslease.transport.netty;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections that were accepted and have not introduced themselves yet. There is always room for one more: when the
 * places are taken, the oldest one from the address that has the most of them goes. So who floods the port drives out his own.
 */
final class Doorway {

    static final int PLACES = 64;

    static final int PLACES_OF_ONE_HOST = 16;

    private final Map<AcceptedConnection, String> waiting = new LinkedHashMap<>();

    /** Lets one in, and answers who has to go for it. */
    @Nullable
    AcceptedConnection enter(AcceptedConnection connection, String host) {
        AcceptedConnection leaving = null;
        if (waiting.values().stream().filter(host::equals).count() >= PLACES_OF_ONE_HOST) {
            leaving = oldestOf(host);
        } else if (waiting.size() >= PLACES) {
            leaving = oldestOf(mostFrequent());
        }
        if (leaving != null) {
            waiting.remove(leaving);
        }
        waiting.put(connection, host);
        return leaving;
    }

    void leave(AcceptedConnection connection) {
        waiting.remove(connection);
    }

    private @Nullable AcceptedConnection oldestOf(String host) {
        for (Map.Entry<AcceptedConnection, String> entry : waiting.entrySet()) {
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
