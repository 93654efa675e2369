package io.paxoslease.store;

import io.paxoslease.jdbc.internal.RegisterNames;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Over a store that compares and sets: what is there is replaced only by what is above it. */
record MonotonicByCompareAndSet(Register store) implements MonotonicRegister {

    private static final int TRIES = 100;

    @Override
    public @Nullable Stamped read(String name) throws IOException {
        byte[] found = store.read(name);
        return found == null ? null : decode(name, found);
    }

    @Override
    public void raise(String name, Stamped stamped) throws IOException {
        byte[] bytes = stamped.encode();
        for (int i = 0; i < TRIES; i++) {
            byte[] found = store.read(name);
            boolean above = found != null && !decode(name, found).isBelow(stamped);
            if (above || store.compareAndSet(name, found, bytes)) {
                return;
            }
        }
        throw new IOException("'%s' in the %s changes all the time".formatted(Printable.name(name), store.describe()));
    }

    private Stamped decode(String name, byte[] found) throws IOException {
        return Stamped.decode(found, "'%s' in the %s".formatted(Printable.name(name), store.describe()));
    }

    @Override
    public Collection<String> names(String prefix) throws IOException {
        return store.names(prefix);
    }

    @Override
    public int longestName() {
        return RegisterNames.LONGEST_NAME;
    }
}
