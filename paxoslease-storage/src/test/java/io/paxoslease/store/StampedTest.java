package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class StampedTest {

    private static Stamped stamped(long count, long writer, long number) {
        return new Stamped(count, writer, number, new byte[] {7});
    }

    @Test
    void stampsAreOrderedByCountThenWriterThenNumberAsUnsignedNumbers() {
        List<Stamped> rising = List.of(
                stamped(1, 1, 1),
                stamped(1, 1, 2),
                stamped(1, 2, 1),
                stamped(1, -1, 1),
                stamped(2, 1, 1),
                stamped(-1, 0, 0));
        for (int i = 0; i < rising.size(); i++) {
            for (int j = 0; j < rising.size(); j++) {
                assertThat(rising.get(i).isBelow(rising.get(j)))
                        .as("%d, %d", i, j)
                        .isEqualTo(i < j);
            }
        }
    }

    @Test
    void whatHasNoStampIsAnErrorThatSaysWhoMayHaveWrittenIt() throws IOException {
        byte[] bytes = stamped(1, 2, 3).encode();
        assertThat(Stamped.decode(bytes, "here").digits())
                .isEqualTo(stamped(1, 2, 3).digits());
        assertThatThrownBy(() -> Stamped.decode(new byte[Stamped.FRAME - 1], "here"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("here holds 27 bytes without a stamp");
        bytes[0]++;
        assertThatThrownBy(() -> Stamped.decode(bytes, "here"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("must not share names");
    }
}
