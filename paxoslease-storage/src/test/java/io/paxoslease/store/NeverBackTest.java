package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.testing.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Stores that come back with old content. */
class NeverBackTest {

    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};

    private final MapRegister a = new MapRegister("A", true);
    private final MapRegister b = new MapRegister("B", true);
    private final MapRegister c = new MapRegister("C", true);
    private final Register register = new ReliableRegister(List.of(a, b, c), Duration.ofSeconds(10), new Random(5));

    /** What the only store that has the newest content says then is outvoted, or not heard. */
    @Test
    void aStoreWithOldContentCountsAsFailedUntilItIsWrittenAgain() throws IOException {
        register.write("x", OLD);
        Eventually.until("all have it", () -> List.of(a, b, c).stream().allMatch(store -> store.size() == 1));
        byte[] old = Objects.requireNonNull(a.read("x"));
        c.fault(MapRegister.FAILS);
        register.write("x", NEW);
        a.write("x", old);
        b.fault(MapRegister.FAILS);
        c.fault(MapRegister.NONE);
        assertThatThrownBy(() -> register.read("x"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("map A: it has gone back to old content");
        assertThat(register.missing().get("1 of 3, map A")).contains("was restored, or has lost writes");
        b.fault(MapRegister.NONE);
        register.write("x", NEW);
        c.fault(MapRegister.FAILS);
        assertThat(register.read("x")).isEqualTo(NEW);
    }

    @Test
    void aStoreWithoutContentHasGoneBackToo() throws IOException {
        MonotonicRegister one = new NeverBack(MonotonicRegister.of(a));
        one.raise("x", new Stamped(1, 1, 1, NEW));
        a.delete("x");
        assertThatThrownBy(() -> one.read("x")).hasMessageContaining("gone back");
        one.raise("x", new Stamped(1, 1, 2, NEW));
        assertThat(one.read("x")).isNotNull();
        assertThat(one.read("never written")).isNull();
    }

    @Test
    void ofVeryManyNamesThoseThatWereUsedLastAreRemembered() throws IOException {
        MonotonicRegister one = new NeverBack(MonotonicRegister.of(a));
        for (int i = 0; i <= NeverBack.NAMES; i++) {
            one.raise("x" + i, new Stamped(1, 1, 1, NEW));
        }
        a.delete("x0");
        a.delete("x1");
        assertThat(one.read("x0")).isNull();
        assertThatThrownBy(() -> one.read("x1")).hasMessageContaining("gone back");
    }
}
