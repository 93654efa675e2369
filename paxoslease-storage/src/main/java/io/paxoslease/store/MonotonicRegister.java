package io.paxoslease.store;

import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * One store as registers whose stamps only rise. A register of the store that is simply overwritten does not do: a write that was
 * held up would put back an old stamp over a new one that is complete, at one store after the other.
 */
interface MonotonicRegister {

    /** The highest stamp so far, with its content; null when there is none. */
    @Nullable
    Stamped read(String name) throws IOException;

    /** From now on, reads answer this or a higher stamp. */
    void raise(String name, Stamped stamped) throws IOException;

    Collection<String> names(String prefix) throws IOException;

    /** In bytes of UTF-8. */
    int longestName();

    Register store();

    static MonotonicRegister of(Register store) {
        if (store.comparesAndSets()) {
            return new MonotonicByCompareAndSet(store);
        }
        if (store instanceof DirectoryRegister directory) {
            return new MonotonicByName(directory, directory.versions());
        }
        if (store.listsNames()) {
            return new MonotonicByName(store, new VersionsByName(store));
        }
        throw new IllegalArgumentException(
                "A reliable register cannot use %s: it needs a store that compares and sets, or one that lists its names"
                        .formatted(store.describe()));
    }
}
