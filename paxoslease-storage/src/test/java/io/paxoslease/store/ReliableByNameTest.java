package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Over stores that only read, write and list. */
@Tag("slow")
class ReliableByNameTest extends ReliableRegisterContract {

    @Override
    boolean compares() {
        return false;
    }

    @Override
    int longestName() {
        return VersionsByName.LONGEST_NAME;
    }

    @Test
    void aNameLeavesRoomForTheStamp() {
        String name = "n".repeat(VersionsByName.LONGEST_NAME + 1);
        assertThatThrownBy(() -> open().write(name, bytes("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has at most 202 bytes of UTF-8, this one has 203");
    }

    @Test
    void whatIsOutOfDateDoesNotPileUp() throws IOException {
        for (int i = 0; i < 50; i++) {
            open().write("x", bytes(i));
        }
        for (MapRegister store : stores()) {
            store.fault(MapRegister.NONE);
        }
        open().write("x", bytes("last"));
        long left = stores().stream().filter(store -> store.size() <= 2).count();
        assertThat(left).isGreaterThanOrEqualTo(2);
    }

    @Test
    void namesThatLookLikeStampsAreKeptApart() throws IOException {
        String stamp = "~" + "0".repeat(Stamped.DIGITS);
        open().write("a", bytes("a"));
        open().write("a" + stamp, bytes("b"));
        open().write("a~b", bytes("c"));
        assertThat(open().read("a")).isEqualTo(bytes("a"));
        assertThat(open().read("a" + stamp)).isEqualTo(bytes("b"));
        assertThat(open().names("a")).containsExactlyInAnyOrder("a", "a" + stamp, "a~b");
        assertThat(open().names("a~")).containsExactlyInAnyOrder("a" + stamp, "a~b");
    }

    /** What others keep in the same store. */
    @Test
    void namesWithoutAStampAreLeftAlone() throws IOException {
        for (MapRegister store : stores()) {
            store.write("theirs", bytes("1"));
            store.write("theirs~" + "x".repeat(Stamped.DIGITS), bytes("2"));
            store.write("theirs~" + "0".repeat(Stamped.DIGITS + 1), bytes("3"));
        }
        assertThat(open().read("theirs")).isNull();
        assertThat(open().names("")).isEmpty();
    }

    @Test
    void aReadLooksAgainWhenSomebodyCleansUpInBetween() throws IOException {
        MapRegister store = new MapRegister("busy", false);
        MonotonicRegister register = new MonotonicByName(store, new VersionsByName(store));
        register.raise("x", new Stamped(1, 1, 1, bytes("old")));
        store.fault((operation, name) -> {
            if (operation.equals("read")) {
                store.fault(MapRegister.NONE);
                register.raise("x", new Stamped(2, 1, 2, bytes("new")));
            }
        });
        Stamped found = register.read("x");
        assertThat(Objects.requireNonNull(found).content()).isEqualTo(bytes("new"));
    }
}
