package io.paxoslease.store;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks for a violation in a world of {@link VersionsWorld}, or with a store that goes back, from within the loader that holds a mutant's classes. */
public final class VersionsHunt implements Function<String, List<String>> {

    /** The world in which a replica goes back. */
    public static final String RESTORED = "restored";

    /** @param world a {@link VersionsWorld}, or {@link #RESTORED} */
    @Override
    public List<String> apply(String world) {
        String violation = world.equals(RESTORED)
                ? restored()
                : new VersionsWorld(world).explore().violation();
        return violation == null ? List.of() : List.of(violation);
    }

    private static @Nullable String restored() {
        MapRegister store = new MapRegister("restored", true);
        MonotonicRegister register = new NeverBack(MonotonicRegister.of(store));
        try {
            register.raise("x", new Stamped(1, 1, 1, new byte[0]));
            store.delete("x");
            return register.read("x") == null ? "A store that has lost its content says that there was none" : null;
        } catch (IOException expected) {
            return null;
        }
    }
}
