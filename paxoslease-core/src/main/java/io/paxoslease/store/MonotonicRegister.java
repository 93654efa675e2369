package io.paxoslease.store;

import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * One base store as registers whose stamps only rise. A base register that is simply overwritten does not do: a write that was
 * held up would put back an old stamp over a new one that is complete, at one base after the other.
 */
interface MonotonicRegister {

    /** The highest stamp so far, with its content; null when there is none. */
    @Nullable
    Stamped read(String name) throws IOException;

    /** From now on, reads answer this or a higher stamp. */
    void raise(String name, Stamped stamped) throws IOException;

    Collection<String> names(String prefix) throws IOException;

    Register base();

    static MonotonicRegister of(Register base) {
        if (base.comparesAndSets()) {
            return new MonotonicByCompareAndSet(base);
        }
        if (base.listsNames()) {
            return new MonotonicByName(base);
        }
        throw new IllegalArgumentException(
                "A reliable register cannot use %s: it needs a store that compares and sets, or one that lists its names"
                        .formatted(base.describe()));
    }
}
