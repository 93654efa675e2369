package io.paxoslease.storage.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Over stores that only read, write and list. */
class ReliableByNameTest extends ReliableRegisterContract {

    @Override
    boolean compares() {
        return false;
    }

    @Override
    int longestName() {
        return RisingByName.LONGEST_NAME;
    }

    @Test
    void aNameLeavesRoomForTheStamp() {
        String name = "n".repeat(RisingByName.LONGEST_NAME + 1);
        assertThatThrownBy(() -> open().write(name, bytes("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has at most 206 bytes of UTF-8, this one has 207");
    }

    @Test
    void whatIsOutOfDateDoesNotPileUp() throws IOException {
        for (int i = 0; i < 50; i++) {
            open().write("x", bytes(i));
        }
        for (MapRegister base : bases()) {
            base.fault(MapRegister.NONE);
        }
        open().write("x", bytes("last"));
        long left = bases().stream().filter(base -> base.size() <= 2).count();
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
    }
}
