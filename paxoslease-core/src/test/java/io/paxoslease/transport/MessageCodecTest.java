package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.Candidate;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominated;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.RegisterMode;
import io.paxoslease.protocol.watch.WatchMessage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageCodecTest {

    private static final Incarnation INCARNATION = new Incarnation(1, 2);

    static List<Message> everyType() {
        return Samples.everyType();
    }

    @ParameterizedTest
    @MethodSource("everyType")
    void whatIsEncodedIsDecoded(Message message) {
        ByteBuf bytes = Unpooled.wrappedBuffer(Samples.encoded(message));

        assertThat(MessageCodec.decode(bytes)).isEqualTo(message);
        assertThat(bytes.isReadable()).isFalse();
    }

    @Test
    void theSamplesCoverEveryTypeOfMessage() {
        assertThat(everyType().stream().map(Object::getClass).collect(Collectors.toSet()))
                .isEqualTo(Stream.of(PaxosMessage.class, MaxRegisterMessage.class, WatchMessage.class)
                        .flatMap(MessageCodecTest::concreteTypes)
                        .collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @MethodSource("everyType")
    void aMessageThatEndsTooEarlyIsMalformed(Message message) {
        byte[] whole = Samples.encoded(message);
        // Every length, but of the thousands in a long list only some: its elements are all alike.
        for (int length = 0; length < whole.length; length += length < 600 ? 1 : 61) {
            ByteBuf part = Unpooled.wrappedBuffer(Arrays.copyOf(whole, length));
            assertThatExceptionOfType(MalformedFrameException.class)
                    .as("the first %d bytes of %d", length, whole.length)
                    .isThrownBy(() -> MessageCodec.decode(part));
        }
    }

    @Test
    void theLongestNameHas255BytesAndALongerOneIsNotEncoded() {
        assertThat(Samples.LONGEST_NAME.getBytes(StandardCharsets.UTF_8)).hasSize(255);
        assertThatIllegalArgumentException().isThrownBy(() -> Samples.encoded(prepare(Samples.LONGEST_NAME + "x")));
        assertThatIllegalArgumentException().isThrownBy(() -> Samples.encoded(prepare("é".repeat(128))));
    }

    @Test
    void aMessageNamesAtMost512Resources() {
        assertThat(MessageCodec.MAX_EXTENSIONS).isEqualTo(512);
        Extend extend = new Extend(INCARNATION, 1, 1, 1, Samples.extensions("r", 1, 513));
        Extended known = new Extended(INCARNATION, 1, Samples.positions(513), List.of());
        Extended unknown = new Extended(INCARNATION, 1, List.of(), Samples.positions(513));

        assertThatIllegalArgumentException().isThrownBy(() -> Samples.encoded(extend));
        assertThatIllegalArgumentException().isThrownBy(() -> Samples.encoded(known));
        assertThatIllegalArgumentException().isThrownBy(() -> Samples.encoded(unknown));
    }

    @Test
    void moreThan512ResourcesAreMalformed() {
        byte[] extend = Samples.encoded(new Extend(INCARNATION, 1, 1, 1, Samples.extensions("r", 1, 512)));
        extend[1 + 16 + 8 + 8 + 8 + 1] = 1;
        byte[] extended = Samples.encoded(new Extended(INCARNATION, 1, Samples.positions(512), List.of()));
        extended[1 + 16 + 8] = (byte) 0xFF;

        assertMalformed(extend, "more than 512 resources in one message");
        assertMalformed(extended, "more than 512 resources in one message");
    }

    @Test
    void aMessageNamesAtMost80CandidatesEachWithANodeId() {
        Candidate candidate = new Candidate(new NodeId("n1"), 1, true);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.encoded(new Nominated("r", 1, Collections.nCopies(81, candidate))));
        byte[] nominated = Samples.encoded(new Nominated("r", 1, Collections.nCopies(80, candidate)));
        nominated[1 + 2 + 8] = 81;
        assertMalformed(nominated, "more than 80 candidates in one message");
        byte[] releaseTo = Samples.encoded(new ReleaseTo(new Release("r", INCARNATION, 1), new NodeId("n")));
        releaseTo[releaseTo.length - 1] = ' ';
        assertMalformed(releaseTo, "not a node id");
        byte[] nominate = Samples.encoded(new Nominate("r", INCARNATION, 1, 1, new NodeId("n")));
        nominate[nominate.length - 1] = ' ';
        assertMalformed(nominate, "not a node id");
    }

    @Test
    void aQueueLongerThanTheFieldIsCutToItsMaximum() {
        byte[] bytes = Samples.encoded(new Released("r", 70_000));

        assertThat(MessageCodec.decode(Unpooled.wrappedBuffer(bytes))).isEqualTo(new Released("r", 0xFFFF));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 31, 63, 127, 128, 255})
    void anUnknownTypeIsMalformed(int type) {
        byte[] bytes = Samples.encoded(prepare("r"));
        bytes[0] = (byte) type;

        assertMalformed(bytes, "unknown message type " + type);
    }

    /** So no frame makes the reader call itself as often as it has bytes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 5, 6, 7, 16, 26, 32, 255})
    void aRequestThatHasNoModeIsMalformedInOne(int type) {
        byte[] bytes = Samples.encoded(new PaxosMessage.InMode(3, 9, prepare("r")));
        bytes[1 + 4 + 8] = (byte) type;

        assertMalformed(bytes, "a request of type %d has no mode".formatted(type));
    }

    @Test
    void aRequestThatHasNoModeIsNotEncodedInOne() {
        PaxosMessage.Release release = new PaxosMessage.Release("r", INCARNATION, 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.encoded(new PaxosMessage.InMode(3, 9, release)))
                .withMessageStartingWith("A request that has no mode");
    }

    @Test
    void aNegativeModeIsMalformed() {
        byte[] bytes = Samples.encoded(new PaxosMessage.InMode(3, 9, prepare("r")));
        bytes[1] = (byte) 0x80;

        assertMalformed(bytes, "a number is negative");
    }

    @Test
    void aStandingTellsAGenerationThatANodeCanRun() {
        byte[] bytes = Samples.encoded(new PaxosMessage.Standing(1, INCARNATION, Samples.second(), 1));
        bytes[1 + 8 + 16 + 3] = 0; // sealed: anything that is not negative
        assertThat(MessageCodec.decode(Unpooled.wrappedBuffer(bytes))).isInstanceOf(PaxosMessage.Standing.class);
        bytes[1 + 8 + 16 + 4 + 3] = 1; // the first generation follows none
        assertMalformed(bytes, "not a generation");
        bytes[1 + 8 + 16 + 4 + 3] = 2;
        bytes[1 + 8 + 16 + 4 + 4] = 1; // the longest lease
        assertMalformed(bytes, "a generation that no node can run");
        bytes[1 + 8 + 16] = (byte) 0x80;
        assertMalformed(bytes, "a number is negative");
    }

    /** Else one message would have two forms. */
    @Test
    void theModeOfTheFirstGenerationIsNotNamed() {
        byte[] bytes = Samples.encoded(new ReadRegister(1, "r", new RegisterMode(Quorum.FIRST, 1)));
        assertThat(MessageCodec.decode(Unpooled.wrappedBuffer(bytes)))
                .isEqualTo(new ReadRegister(1, "r", new RegisterMode(Quorum.FIRST, 1)));
        bytes[1 + 4 + 7] = 0;
        assertMalformed(bytes, "a request on a register names the mode that it has without");
    }

    @Test
    void aRegisterHasANameAndNoNegativeValue() {
        byte[] raise = Samples.encoded(new RaiseRegister(1, "r", 2));
        raise[1 + 8 + 2] = (byte) 0x80;
        assertMalformed(raise, "a number is negative");
        byte[] known = Samples.encoded(new KnownRegisters(List.of(new Entry("r", 2))));
        known[1 + 1 + 2] = (byte) 0x80;
        assertMalformed(known, "a number is negative");
        byte[] value = Samples.encoded(new RegisterValue(1, OptionalLong.of(2)));
        value[1 + 8 + 1] = (byte) 0x80;
        assertMalformed(value, "a number is negative");
        value[1 + 8] = 2;
        assertMalformed(value, "neither yes nor no");
        assertMalformed(Samples.encoded(new RaiseRegister(1, "", 2)), "a register has no name");
        assertMalformed(Samples.encoded(new ReadRegister(1, "")), "a register has no name");
        assertMalformed(Samples.encoded(new KnownRegisters(List.of(new Entry("", 2)))), "a register has no name");
    }

    @Test
    void aMessageNamesAtMost100Registers() {
        List<Entry> many = Collections.nCopies(101, new Entry("r", 2));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.encoded(new KnownRegisters(many)))
                .withMessage("More than 100 registers in one message");
        byte[] known = Samples.encoded(new KnownRegisters(many.subList(0, 100)));
        known[1] = 101;
        assertMalformed(known, "more than 100 registers in one message");
    }

    @Test
    void anUnknownRefusalIsMalformed() {
        byte[] bytes = Samples.encoded(
                new PaxosMessage.Refused("r", new Ballot(1, INCARNATION), 1, PaxosMessage.Refusal.TOO_LONG, 1));
        bytes[bytes.length - 9] = 5;

        assertMalformed(bytes, "unknown refusal 5");
    }

    @Test
    void anUnknownQueueModeIsMalformed() {
        byte[] bytes = Samples.encoded(new PaxosMessage.Propose("r", new Ballot(1, INCARNATION), 1, 1));
        bytes[bytes.length - 17] = 3;

        assertMalformed(bytes, "unknown queue mode 3");
    }

    @Test
    void aNegativeSinceIsMalformed() {
        byte[] bytes = Samples.encoded(new PaxosMessage.Propose("r", new Ballot(1, INCARNATION), 1, 1));
        bytes[bytes.length - 8] = (byte) 0x80;

        assertMalformed(bytes, "a number is negative");
    }

    @Test
    void whatIsNeitherYesNorNoIsMalformed() {
        byte[] bytes = Samples.encoded(new PaxosMessage.Accepted("r", new Ballot(1, INCARNATION), 1, true));
        bytes[bytes.length - 1] = 2;

        assertMalformed(bytes, "neither yes nor no");
    }

    @Test
    void aNegativeCounterIsMalformed() {
        byte[] bytes = Samples.encoded(prepare("r"));
        bytes[3] = (byte) 0x80;

        assertMalformed(bytes, "a number is negative");
    }

    @Test
    void aNameThatIsNotUtf8IsMalformed() {
        byte[] bytes = Samples.encoded(prepare("r"));
        bytes[2] = (byte) 0xC3;
        assertMalformed(bytes, "a text is not UTF-8");
        bytes[2] = (byte) 0xFF;
        assertMalformed(bytes, "a text is not UTF-8");
    }

    @Test
    void aNodeIdThatCannotBeOneIsMalformed() {
        byte[] bytes = Samples.encoded(new PaxosMessage.Held(
                "r", new Ballot(1, INCARNATION), 1, new Ballot(1, INCARNATION), Samples.LONGEST_ID, 1, 0, false));
        bytes[bytes.length - 17 - 1] = ' ';
        bytes[bytes.length - 17 - 2] = ' ';

        assertMalformed(bytes, "not a node id");
    }

    private static Prepare prepare(String resource) {
        return new Prepare(resource, new Ballot(1, INCARNATION), 1);
    }

    private static void assertMalformed(byte[] bytes, String why) {
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> MessageCodec.decode(Unpooled.wrappedBuffer(bytes)))
                .withMessage(why);
    }

    private static Stream<Class<?>> concreteTypes(Class<?> sealedType) {
        return sealedType.isSealed()
                ? Arrays.stream(sealedType.getPermittedSubclasses()).flatMap(MessageCodecTest::concreteTypes)
                : Stream.of(sealedType);
    }
}
