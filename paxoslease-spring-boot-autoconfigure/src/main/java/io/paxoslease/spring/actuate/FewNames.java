package io.paxoslease.spring.actuate;

import io.paxoslease.protocol.Printable;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names that may be the values of a tag: the first thousand, as each leaves series behind, here and in the monitoring system, which nothing
 * removes. Thread-safe.
 */
final class FewNames {

    static final int MOST = 1_000;

    private static final Logger log = LoggerFactory.getLogger(FewNames.class);

    private final String tag;
    private final String what;
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean told = new AtomicBoolean();

    /** @param what what has the tag, for the log */
    FewNames(String tag, String what) {
        this.tag = tag;
        this.what = what;
    }

    /** Whether the name is one of them; says once in the log that others have no series. */
    boolean admits(String name) {
        if (names.contains(name)) {
            return true;
        }
        if (names.size() < MOST) {
            names.add(name);
            return true;
        }
        if (told.compareAndSet(false, true)) {
            log.warn(
                    "There are more than {} values of the tag '{}': {} of this node leave further ones out, as '{}'",
                    MOST,
                    Printable.name(tag),
                    Printable.text(what),
                    Printable.name(name));
        }
        return false;
    }
}
