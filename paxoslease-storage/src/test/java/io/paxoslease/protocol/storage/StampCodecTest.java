package io.paxoslease.protocol.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StampCodecTest {

    @ParameterizedTest
    @EnumSource
    void aStampIsReadAsItWasWritten(Stamp.State state) {
        for (boolean compares : new boolean[] {true, false}) {
            Stamp stamp = stamp(compares, state);
            assertThat(StampCodec.decode(StampCodec.encode(stamp))).isEqualTo(stamp);
        }
    }

    /** Not even where sums of its numbers would overflow: nothing is overwritten, and nothing fails. */
    @ParameterizedTest
    @CsvSource({
        "serial=3, serial=9007199254740993, serial is out of bounds",
        "sequence=4, sequence=-4, sequence is out of bounds",
        "lease-ns=3000, lease-ns=9223372036854775807, lease-ns is out of bounds",
        "access-ns=100, access-ns=9223372036854775808, 9223372036854775808",
        "form=read-write, form=by-hand, its form is",
        "readers=, reader=, belongs",
        "held, hold, HOLD",
        "stamp/1, stamp/2, update it",
        "'token=2 ', '', has 10 words instead of 11"
    })
    void aStampWithAWordThatCannotBeIsNone(String word, String wrong, String said) {
        String text = StampCodec.encode(stamp(false, Stamp.State.HELD)).text();
        assertThat(text).contains(word);
        Content content = Content.of(text.replace(word, wrong));
        assertThatThrownBy(() -> StampCodec.decode(content))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }

    private static Stamp stamp(boolean compares, Stamp.State state) {
        return new Stamp(new NodeId("a"), new Incarnation(-1, 5), 3, 4, 2, 3_000, 100, compares, "", state);
    }
}
