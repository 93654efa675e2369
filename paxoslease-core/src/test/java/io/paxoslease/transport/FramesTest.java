package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FramesTest {

    @Test
    void manyMessagesAreSplitIntoFramesAndStayInOrder() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            messages.addAll(Samples.everyType());
        }

        List<ByteBuf> frames = frames(messages);

        assertThat(frames).hasSizeGreaterThan(5);
        assertThat(frames.stream().flatMap(frame -> Frames.readMessages(bodyOf(frame)).stream()))
                .containsExactlyElementsOf(messages);
    }

    @Test
    void noMessagesMakeAnEmptyFrame() {
        ByteBuf frame = Unpooled.buffer();

        assertThat(Frames.writeMessages(frame, List.of(), 0)).isZero();
        assertThat(Frames.readMessages(bodyOf(frame))).isEmpty();
    }

    /** The largest message that the codec takes must find room, wherever the frame's filling happens to stand. */
    @Test
    void aFrameIsNeverLongerThanTheLimit() {
        Message largest = new Extend(new Incarnation(1, 2), 3, 4, 5, Samples.extensions(Samples.LONGEST_NAME, 6, 124));
        for (int smallOnes = 6_540; smallOnes < 6_560; smallOnes++) {
            List<Message> messages = new ArrayList<>(Collections.nCopies(smallOnes, new Released("r", 1)));
            messages.add(largest);

            List<ByteBuf> frames = frames(messages);

            assertThat(frames.stream().flatMap(frame -> Frames.readMessages(bodyOf(frame)).stream()))
                    .containsExactlyElementsOf(messages);
        }
    }

    @Test
    void aFrameGoesBehindWhatIsInTheBufferAlready() {
        ByteBuf out = Unpooled.buffer();
        Frames.writeEmpty(out, Frames.PING);
        Frames.writeMessages(out, List.of(new Released("r", 1)), 0);
        out.skipBytes(5);

        assertThat(Frames.readMessages(bodyOf(out))).containsExactly(new Released("r", 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {Frames.HELLO, Frames.WELCOME})
    void aHelloIsRead(int type) {
        for (Hello hello : List.of(Samples.plainHello(), Samples.secondHello(), Samples.longestHello())) {
            ByteBuf out = Unpooled.buffer();
            Frames.writeHello(out, type, hello);
            assertThat(out.getUnsignedByte(4)).isEqualTo((short) type);
            assertThat(Frames.readHello(bodyOf(out), Versions.OURS)).isEqualTo(hello);
        }
    }

    @Test
    void aHelloThatEndsTooEarlyIsMalformed() {
        byte[] whole = bodyOf(Samples.secondHello());
        for (int length = 0; length < whole.length; length++) {
            ByteBuf part = Unpooled.wrappedBuffer(Arrays.copyOf(whole, length));
            assertThatExceptionOfType(MalformedFrameException.class)
                    .as("the first %d bytes", length)
                    .isThrownBy(() -> Frames.readHello(part, Versions.OURS));
        }
    }

    @Test
    void aHelloThatGoesOnAfterItsLastFieldIsMalformed() {
        byte[] body = helloBody();

        assertMalformedHello(Arrays.copyOf(body, body.length + 1), "a hello does not end where it says");
        body[9]++; // the length of the block
        assertMalformedHello(Arrays.copyOf(body, body.length + 1), "a hello goes on after its last field");
    }

    @Test
    void aHelloOfAnotherProtocolIsMalformed() {
        byte[] body = helloBody();
        body[3]++;

        assertMalformedHello(body, "not a PaxosLease node");
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "9, 2", "65535, 2"})
    void aHelloOfOtherVersionsIsUnsupportedWhateverFollows(int highest, int lowest) {
        ByteBuf body = Unpooled.wrappedBuffer(Arrays.copyOf(helloBody(), 8));
        body.setShort(4, highest).setShort(6, lowest);

        assertThatExceptionOfType(UnsupportedVersionException.class)
                .isThrownBy(() -> Frames.readHello(body, Versions.OURS))
                .withMessage(
                        "wire format %s meets version 1: upgrade the node of the older release first, one release at a time",
                        new Versions(lowest, highest));
    }

    /** A later release says the same, and then more. */
    @Test
    void aHelloOfALaterVersionIsReadAsFarAsItIsKnown() {
        ByteBuf body =
                Unpooled.buffer().writeBytes(bodyOf(Samples.plainHello())).writeZero(100);
        body.setShort(4, 7);

        assertThat(Frames.readHello(body, Versions.OURS))
                .isEqualTo(Samples.plainHello().in(new Versions(1, 7)));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "2, 0", "2, 3"})
    void versionsThatCannotBeAreMalformed(int highest, int lowest) {
        ByteBuf body = Unpooled.wrappedBuffer(helloBody());
        body.setShort(4, highest).setShort(6, lowest);

        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> Frames.readHello(body, Versions.OURS));
    }

    @Test
    void aRoleOrAnApplicationThatCannotBeIsMalformed() {
        byte[] role = helloBody();
        role[10] = 2;
        assertMalformedHello(role, "unknown role 2");
        Hello plain = Samples.plainHello();
        for (Hello wrong : List.of(
                new Hello(
                        plain.config(),
                        plain.from(),
                        plain.to(),
                        plain.bootId(),
                        Versions.OURS,
                        Hello.Role.MEMBER,
                        "x"),
                new Hello(
                        plain.config(),
                        plain.from(),
                        plain.to(),
                        plain.bootId(),
                        Versions.OURS,
                        Hello.Role.CLIENT,
                        "a b"))) {
            ByteBuf out = Unpooled.buffer();
            Frames.writeHello(out, Frames.HELLO, wrong);
            assertMalformedHello(Samples.bytes(bodyOf(out)), "not an application's name");
        }
    }

    @Test
    void aHelloNamesAtMost63Members() {
        byte[] body = helloBody();
        body[body.length - 15] = 64;

        assertMalformedHello(body, "more than 63 members");
    }

    @Test
    void aNegativeLeaseTimeIsMalformed() {
        byte[] body = helloBody();
        body[body.length - 15 - 9 - 16] = (byte) 0x80;

        assertMalformedHello(body, "a number is negative");
    }

    @ParameterizedTest
    @CsvSource({"2, 0", "255, 0", "0, 1"})
    void anAlgorithmThatNobodyKnowsIsMalformed(int algorithm, int clockBound) {
        byte[] body = helloBody();
        body[body.length - 15 - 9] = (byte) algorithm;
        body[body.length - 15 - 1] = (byte) clockBound;

        assertMalformedHello(body, "no algorithm %d with a clock bound of %d ns".formatted(algorithm, clockBound));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "paxoslease", "fl\nease", "two words"})
    void aNameThatNoOtherAlgorithmCanHaveIsMalformed(String name) {
        CellConfig.Clocked clocked = new CellConfig.Clocked(name, Duration.ofMillis(500));
        assertMalformedHello(helloOf(clocked), "not the name of another algorithm");
        assertMalformedHello(
                helloOf(new CellConfig.Clocked("x".repeat(129), Duration.ofMillis(500))),
                "not the name of another algorithm");
        assertMalformedHello(
                helloOf(new CellConfig.Clocked("flease", Duration.ZERO)), "no algorithm 1 with a clock bound of 0 ns");
    }

    private static byte[] helloOf(CellConfig.Clocked clocked) {
        NodeId a = new NodeId("a");
        CellConfig config = new CellConfig("cell", List.of(a), Duration.ofSeconds(5), 0.1, clocked);
        ByteBuf out = Unpooled.buffer();
        Frames.writeHello(
                out, Frames.HELLO, new Hello(config, a, new NodeId("b"), new Incarnation(1, 2), Versions.OURS));
        return Samples.bytes(out.skipBytes(Integer.BYTES + 1));
    }

    /** Names of cells are written to the log, where a line break would start a forged line. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\nWARN forged",
                "x\u001b[2J",
                "x\u0085",
                "x\u202ey",
                "x\u2028y",
                "x\u200by",
                "x\ufeff",
                "x\u00a0y",
                ""
            })
    void aCellNameThatNoNodeCanHaveIsMalformed(String cell) {
        Hello plain = Samples.plainHello();
        CellConfig config = new CellConfig(
                cell,
                plain.config().members(),
                plain.config().maxLeaseTime(),
                plain.config().clockDrift());
        ByteBuf out = Unpooled.buffer();
        Frames.writeHello(
                out, Frames.HELLO, new Hello(config, plain.from(), plain.to(), plain.bootId(), plain.versions()));

        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> Frames.readHello(bodyOf(out), Versions.OURS));
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void aRejectionIsRead(ConnectionRefusal reason) {
        Rejection rejection = new Rejection(reason, "réason");

        assertThat(Frames.readRejection(bodyOf(written(rejection)), Versions.OURS))
                .isEqualTo(rejection);
    }

    static List<ConnectionRefusal> reasons() {
        return Rejection.REASONS;
    }

    @ParameterizedTest
    @ValueSource(
            chars = {'\n', '\r', '\t', '\u0000', '\u001b', '\u007f', '\u0085', '\u009b', '\u202e', '\u2028', '\u200b'})
    void aCharacterInARejectionThatIsNotSeenIsWrittenAsItsNumber(char control) {
        Rejection rejection = new Rejection(ConnectionRefusal.CELL, "one" + control + "two");

        assertThat(Frames.readRejection(bodyOf(written(rejection)), Versions.OURS)
                        .text())
                .isEqualTo("one\\u%04xtwo".formatted((int) control));
    }

    /** The frame has room for 64 kB, the log has not. */
    @Test
    void aLongRejectionIsCut() {
        Rejection rejection = new Rejection(ConnectionRefusal.CELL, "x".repeat(60_000));

        assertThat(Frames.readRejection(bodyOf(written(rejection)), Versions.OURS)
                        .text())
                .isEqualTo("x".repeat(1_024) + "…");
    }

    @Test
    void aRejectionThatEndsTooEarlyOrHasNoReasonIsMalformed() {
        ByteBuf body = bodyOf(written(new Rejection(ConnectionRefusal.CELL, "text")));
        for (int length = 0; length < body.readableBytes(); length++) {
            ByteBuf part = body.copy(body.readerIndex(), length);
            assertThatExceptionOfType(MalformedFrameException.class)
                    .isThrownBy(() -> Frames.readRejection(part, Versions.OURS));
        }
        ByteBuf none = body.copy().setByte(0, 0);
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> Frames.readRejection(none, Versions.OURS));
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 255})
    void aReasonOfALaterReleaseIsTold(int code) {
        ByteBuf body = bodyOf(written(new Rejection(ConnectionRefusal.CELL, "change this")));
        body.setByte(body.readerIndex(), code);

        assertThat(Frames.readRejection(body, Versions.OURS))
                .isEqualTo(new Rejection(ConnectionRefusal.BY_PEER, "change this"));
    }

    private static ByteBuf written(Rejection rejection) {
        ByteBuf out = Unpooled.buffer();
        Frames.writeRejection(out, rejection);
        return out;
    }

    private static List<ByteBuf> frames(List<Message> messages) {
        List<ByteBuf> frames = new ArrayList<>();
        int next = 0;
        while (next < messages.size()) {
            ByteBuf frame = Unpooled.buffer();
            int before = next;
            next = Frames.writeMessages(frame, messages, next);
            assertThat(next).isGreaterThan(before);
            assertThat(frame.getInt(0)).isEqualTo(frame.readableBytes() - 4).isLessThanOrEqualTo(Frames.MAX_FRAME);
            frames.add(frame);
        }
        return frames;
    }

    /** Behind its members come ten bytes. */
    private static byte[] helloBody() {
        return bodyOf(Samples.plainHello());
    }

    private static byte[] bodyOf(Hello hello) {
        ByteBuf out = Unpooled.buffer();
        Frames.writeHello(out, Frames.HELLO, hello);
        return Samples.bytes(bodyOf(out));
    }

    @Test
    void theProcessThatWasMetLastWasConnectedAtNoNegativeTime() {
        byte[] body = bodyOf(Samples.plainHello().afterMeeting(new Hello.LastBoot(new Incarnation(3, 4), 5)));
        body[body.length - 8] = (byte) 0x80;
        assertMalformedHello(body, "a number is negative");
    }

    @Test
    void whatOneNodeHasMetIsNotPassedOnAsMetByAnother() {
        Hello met = Samples.plainHello().afterMeeting(new Hello.LastBoot(new Incarnation(3, 4), 5));
        assertThat(met.in(Versions.OURS)).isEqualTo(Samples.plainHello());
    }

    /** The machine makes quorums and quarantines of it. */
    @Test
    void aGenerationThatNoNodeCanRunIsMalformed() {
        assertMalformedGeneration(0, list(5, 0.1, "a"), null, "not a generation");
        assertMalformedGeneration(1, list(5, 0.1, "a"), list(5, 0.1, "a"), "not a generation");
        for (MemberList wrong : List.of(
                list(5, 0.1),
                list(0, 0.1, "a"),
                list(86_401, 0.1, "a"),
                list(5, -0.1, "a"),
                list(5, 0.51, "a"),
                list(5, Double.NaN, "a"))) {
            assertMalformedGeneration(2, wrong, null, "a generation that no node can run");
            assertMalformedGeneration(2, list(5, 0.1, "a"), wrong, "a generation that no node can run");
        }
    }

    @Test
    void bothListsOfAGenerationHave63MembersTogetherAtMost() {
        String[] half = IntStream.range(0, 32).mapToObj(i -> "a" + i).toArray(String[]::new);
        String[] other = IntStream.range(0, 32).mapToObj(i -> "b" + i).toArray(String[]::new);
        assertMalformedGeneration(2, list(5, 0.1, half), list(5, 0.1, other), "a generation that no node can run");
    }

    @Test
    void aChangeHasAnAddressOfEachMember() {
        byte[] body = changeTo(Samples.second());
        assertMalformedChange(Arrays.copyOf(body, body.length - 1), "a frame ends too early");
        assertMalformedChange(
                Arrays.copyOf(body, body.length + 1), "a change of the members goes on after its last field");
        byte[] fewer = Arrays.copyOf(body, body.length - 5);
        fewer[body.length - 16] = 2;
        assertMalformedChange(fewer, "2 addresses of 3 members");
        byte[] nowhere = body.clone();
        nowhere[body.length - 1] = 0;
        nowhere[body.length - 2] = 0;
        assertMalformedChange(nowhere, "not an address of a member");
    }

    @Test
    void aChangeFollowsAList() {
        assertMalformedChange(
                changeTo(new Generation(2, Samples.second().current(), null)),
                "a generation that follows none is not coming");
    }

    private static byte[] changeTo(Generation generation) {
        Map<NodeId, InetSocketAddress> addresses = new HashMap<>();
        generation.everyone().forEach(id -> addresses.put(id, InetSocketAddress.createUnresolved("hh", 7400)));
        ByteBuf out = Unpooled.buffer();
        Frames.writeComing(out, new ComingMembers(generation, addresses));
        return Samples.bytes(bodyOf(out));
    }

    private static void assertMalformedChange(byte[] body, String why) {
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> Frames.readComing(Unpooled.wrappedBuffer(body)))
                .withMessage(why);
    }

    @Test
    void aPreviousListIsInOrder() {
        byte[] body = bodyOf(Samples.secondHello());
        body[body.length - 4] = 'c';
        assertMalformedHello(body, "a list of members is not in order");
        body[body.length - 4] = 'b';
        assertMalformedHello(body, "a list of members is not in order");
    }

    private static MemberList list(int seconds, double drift, String... members) {
        return new MemberList(Arrays.stream(members).map(NodeId::new).toList(), Duration.ofSeconds(seconds), drift);
    }

    private static void assertMalformedGeneration(
            int number, MemberList current, @Nullable MemberList previous, String why) {
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> GenerationCodec.of(number, current, previous))
                .withMessage(why);
    }

    private static ByteBuf bodyOf(ByteBuf frame) {
        ByteBuf body = frame.slice();
        return body.skipBytes(5);
    }

    private static void assertMalformedHello(byte[] body, String why) {
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> Frames.readHello(Unpooled.wrappedBuffer(body), Versions.OURS))
                .withMessage(why);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5})
    void aSpreadHasFourBytes(int length) {
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> Frames.readSpread(Unpooled.wrappedBuffer(new byte[length])));
    }

    @Test
    void aSpreadIsNotNegative() {
        assertThatExceptionOfType(MalformedFrameException.class)
                .isThrownBy(() -> Frames.readSpread(Unpooled.buffer().writeInt(-1)));
    }
}
