package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Reading;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a majority is known to have stored, of the resources that were asked about last. */
final class MajorityCache {

    private static final int MOST = 8_192;

    private final Map<String, Stored> decided = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Stored> eldest) {
            return size() > MOST;
        }
    };

    /** Of two decisions, that of the higher round is the later one. */
    void learn(String resource, Stored stored) {
        Stored known = decided.get(resource);
        if (known == null || stored.written().isAbove(known.written())) {
            decided.remove(resource);
            decided.put(resource, stored);
        }
    }

    /** The lease that is certain to last yet; null when none is known. */
    @Nullable
    Stored certain(String resource, Stored here, Reading now) {
        Stored known = decided.get(resource);
        if (known == null
                || known.value().isEmpty()
                || now.wallMicros() >= known.value().endMicros()) {
            decided.remove(resource);
            return null;
        }
        return isDoubted(known, here) ? null : known;
    }

    /** A later round is known: its owner's, with a later end, or, after it was given up, another's. */
    private static boolean isDoubted(Stored known, Stored here) {
        return here.written().isAbove(known.written())
                && (here.value().isEmpty()
                        || here.value().token() != known.value().token());
    }

    void clear() {
        decided.clear();
    }
}
