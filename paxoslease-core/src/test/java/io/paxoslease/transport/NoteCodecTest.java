package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of a note: before the message that it belongs to, and only where there is one. */
class NoteCodecTest {

    private static final String HEAD = "0172 0000000000000021 0102030405060708 1112131415161718 0000000000000043";
    private static final String PROPOSE = "02" + HEAD + "0000000000000065 02 0000000000000020 0000000000000019";
    private static final String HELD = "12" + HEAD
            + "0000000000000087 0000000000000000 ffffffffffffffff 0162 0000000000000065 00000000000000a9 01";
    private static final String NOTE = "04 c3a9 210a";

    private static final Ballot ballot = new Ballot(0x21, new Incarnation(0x0102030405060708L, 0x1112131415161718L));
    private static final Propose propose = new Propose("r", ballot, 0x65, 0x43, QueueMode.QUEUE, 0x20, 0x19);
    private static final Held held =
            new Held("r", ballot, 0x43, new Ballot(0x87, new Incarnation(0, -1)), new NodeId("b"), 0x65, 0xa9, true);

    @Test
    void aProposalHasItsNoteBeforeIt() {
        pinned(propose.withNote("é!\n"), "0b" + NOTE + PROPOSE);
        pinned(new InMode(3, 9, propose.withNote("é!\n")), "06 00000003 0000000000000009 0b" + NOTE + PROPOSE);
    }

    @Test
    void anAnswerThatNamesTheHolderHasTheNoteBeforeIt() {
        pinned(held.withNote("é!\n"), "1c" + NOTE + HELD);
    }

    @Test
    void withoutANoteThereIsNoByteMore() {
        pinned(propose, PROPOSE);
        pinned(held, HELD);
        pinned(propose.withNote("é").withNote(""), PROPOSE);
    }

    @Test
    void anEmptyNoteIsMalformed() {
        assertMalformed("0b 00" + PROPOSE, "a note is empty");
        assertMalformed("1c 00" + HELD, "a note is empty");
    }

    @Test
    void aNoteThatIsNotUtf8IsMalformed() {
        assertMalformed("0b 02 c3c3" + PROPOSE, "a text is not UTF-8");
        assertMalformed("1c 03 eda080" + HELD, "a text is not UTF-8");
    }

    /** So no frame makes the reader call itself as often as it has bytes. */
    @Test
    void onlyAProposalAndAnAnswerThatNamesTheHolderHaveOne() {
        String prepare = "01" + HEAD;
        assertMalformed("0b" + NOTE + prepare, "a message of type 1 has no note");
        assertMalformed("0b" + NOTE + "0b" + NOTE + PROPOSE, "a message of type 11 has no note");
        assertMalformed("0b" + NOTE + HELD, "a message of type 18 has no note");
        assertMalformed("1c" + NOTE + PROPOSE, "a message of type 2 has no note");
        assertMalformed("0b" + NOTE + "06 00000003 0000000000000009" + PROPOSE, "a message of type 6 has no note");
        assertMalformed("06 00000003 0000000000000009 1c" + NOTE + HELD, "a request of type 28 has no mode");
        assertMalformed("0b" + NOTE, "a frame ends too early");
        assertThat(decode("06 00000003 0000000000000009" + prepare))
                .isEqualTo(new InMode(3, 9, new Prepare("r", ballot, 0x43)));
    }

    @Test
    void aLongerNoteIsNotEncoded() {
        assertThat(Samples.encoded(propose.withNote("x".repeat(255))))
                .hasSize(1 + 256 + PROPOSE.replace(" ", "").length() / 2);
        assertThatIllegalArgumentException().isThrownBy(() -> Samples.encoded(propose.withNote("x".repeat(256))));
    }

    private static void pinned(Message message, String hex) {
        assertThat(HexFormat.of().formatHex(Samples.encoded(message))).isEqualTo(hex.replace(" ", ""));
        assertThat(decode(hex)).isEqualTo(message);
    }

    private static Message decode(String hex) {
        return MessageCodec.decode(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex.replace(" ", ""))));
    }

    private static void assertMalformed(String hex, String why) {
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> decode(hex))
                .withMessage(why);
    }
}
