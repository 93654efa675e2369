package io.paxoslease.store;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the highest stamp that a store has answered or taken for each register. A lower answer, or none, is a failure of that
 * store: it was restored, or has lost writes. A raise to that stamp or a higher one heals it. Thread-safe.
 */
final class NeverBack implements MonotonicRegister {

    /** Those that were used last. */
    static final int NAMES = 4_096;

    private final MonotonicRegister register;
    private final Map<String, String> highest = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > NAMES;
        }
    };

    NeverBack(MonotonicRegister register) {
        this.register = register;
    }

    @Override
    public @Nullable Stamped read(String name) throws IOException {
        String before = remembered(name);
        Stamped found = register.read(name);
        if (before != null && (found == null || found.digits().compareTo(before) < 0)) {
            throw new IOException(
                    "it has gone back to old content: it was restored, or has lost writes. The next write of each register heals it; if most stores were restored, stop all clients, wait for the longest lease time, and start them");
        }
        if (found != null) {
            remember(name, found);
        }
        return found;
    }

    @Override
    public void raise(String name, Stamped stamped) throws IOException {
        register.raise(name, stamped);
        remember(name, stamped);
    }

    private @Nullable String remembered(String name) {
        synchronized (highest) {
            return highest.get(name);
        }
    }

    private void remember(String name, Stamped stamped) {
        synchronized (highest) {
            highest.merge(name, stamped.digits(), (one, other) -> one.compareTo(other) < 0 ? other : one);
        }
    }

    @Override
    public Collection<String> names(String prefix) throws IOException {
        return register.names(prefix);
    }

    @Override
    public int longestName() {
        return register.longestName();
    }

    @Override
    public Register store() {
        return register.store();
    }
}
