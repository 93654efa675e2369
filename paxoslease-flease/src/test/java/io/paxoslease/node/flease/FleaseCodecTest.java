package io.paxoslease.node.flease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.flease.FleaseMessage.Compare;
import io.paxoslease.protocol.flease.FleaseMessage.Compared;
import io.paxoslease.protocol.flease.FleaseMessage.Freed;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Known;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Query;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import io.paxoslease.protocol.flease.FleaseMessage.WriteAck;
import io.paxoslease.protocol.flease.Round;
import io.paxoslease.protocol.flease.Stored;
import io.paxoslease.protocol.flease.Value;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.ClientRequests;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.MalformedFrameException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes of Flease's messages, which nodes of other releases write and read; and whatever else the network brings. */
class FleaseCodecTest {

    private static final int RANDOM_INPUTS = 20_000;
    /** A text may be copied three times, as characters of two bytes; and there is a trace when it is malformed. */
    private static final long ALLOCATION_PER_BYTE = 800;

    private static final long ALLOCATION_PER_FRAME = 50_000;

    private static final String RESOURCE = "r\u00e9";
    private static final String INCARNATION = " 0102030405060708 1112131415161718";
    private static final String ATTEMPT = " 0000000000000043";
    private static final String ROUND = " 0000000000000007 0000000000000008 01 62";
    private static final String ROUND_HEAD = " 03 72c3a9" + ROUND + ATTEMPT;
    private static final String VALUE = " 01 01 61" + INCARNATION + " 0000000000000087 0000000000000065";
    private static final Incarnation incarnation = new Incarnation(0x0102030405060708L, 0x1112131415161718L);
    private static final Round round = new Round(7, 8, new NodeId("b"));
    private static final Value value = new Value(new Value.Owner(new NodeId("a"), incarnation), 0x87, 0x65);

    private static final NodeId LONGEST_ID = new NodeId("n".repeat(128));

    static List<Message> everyType() {
        List<Message> all = new ArrayList<>(everyType("", Round.NONE, 0, new NodeId("n")));
        Round last = new Round(Long.MAX_VALUE, Long.MAX_VALUE, LONGEST_ID);
        all.addAll(everyType("x".repeat(255), last, Long.MAX_VALUE, LONGEST_ID));
        return all;
    }

    private static List<Message> everyType(String resource, Round round, long number, NodeId node) {
        Value value = new Value(new Value.Owner(node, new Incarnation(-1, Long.MIN_VALUE)), number, number);
        Stored stored = new Stored(round, value);
        return List.of(
                new Read(resource, round, number, Interest.WAITS),
                new Write(resource, round, number, value),
                new Write(resource, round, number, Value.NOTHING),
                new ReadAck(resource, round, number, stored),
                new WriteAck(resource, round, number),
                new Nack(resource, round, number, round),
                new Query(number, Collections.nCopies(Query.MAX_RESOURCES, resource)),
                new Known(number, Collections.nCopies(Query.MAX_RESOURCES, stored)),
                new Compare(number),
                new Compared(number, number),
                new Freed(resource, 0xFFFF),
                new FleaseMessage.InUse(resource, number));
    }

    @ParameterizedTest
    @MethodSource("everyType")
    void whatIsEncodedIsDecoded(Message message) {
        assertThat(decode(encoded(message))).containsExactly(message);
    }

    @Test
    void theSamplesCoverEveryTypeOfMessage() {
        assertThat(everyType().stream().map(Object::getClass).collect(Collectors.toSet()))
                .isEqualTo(recordsOf(FleaseMessage.class).collect(Collectors.toSet()));
    }

    private static Stream<Class<?>> recordsOf(Class<?> type) {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses()).flatMap(FleaseCodecTest::recordsOf)
                : Stream.of(type);
    }

    @ParameterizedTest
    @MethodSource("everyType")
    void aMessageThatEndsTooEarlyIsMalformed(Message message) {
        byte[] whole = encoded(message);
        for (int length = 1; length < whole.length; length += length < 600 ? 1 : 61) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatExceptionOfType(MalformedFrameException.class)
                    .as("the first %d bytes of %d", length, whole.length)
                    .isThrownBy(() -> decode(part));
        }
    }

    @Test
    void aMessageNamesAtMostSoManyResources() {
        Query most = new Query(1, Collections.nCopies(Query.MAX_RESOURCES + 1, "r"));
        assertThatIllegalArgumentException().isThrownBy(() -> encoded(most));
        byte[] bytes = encoded(new Query(1, List.of()));
        bytes[bytes.length - 1] = (byte) (Query.MAX_RESOURCES + 1);
        assertThatExceptionOfType(MalformedFrameException.class).isThrownBy(() -> decode(bytes));
    }

    @Test
    void aMessageOfPaxosLeaseIsLeftToItsOwnCodec() {
        Message other = new PaxosMessage.Released("r", 1);
        assertThat(FleaseCodec.INSTANCE.encode(Unpooled.buffer(), other)).isFalse();
        assertThat(decode(encoded(other))).containsExactly(other);
    }

    @Test
    void aMemberTakesNoneOfThemFromAClient() {
        assertThat(everyType()).noneMatch(ClientRequests::contains);
    }

    /** Bytes become messages that are written as the same bytes, or are malformed; nothing large is allocated for few bytes. */
    @Test
    void whateverComesIsMalformedAtWorst() {
        List<byte[]> valid = everyType().stream().map(FleaseCodecTest::encoded).toList();
        valid.forEach(FleaseCodecTest::read);
        int decoded = 0;
        for (int seed = 0; seed < RANDOM_INPUTS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = input(valid, random);
            List<Message> messages = read(bytes); // what only the first call allocates is not the reader's doing
            assertThat(allocationOf(bytes))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(ALLOCATION_PER_FRAME + ALLOCATION_PER_BYTE * bytes.length);
            ByteBuf out = Unpooled.buffer();
            messages.forEach(message -> out.writeBytes(encoded(message)));
            if (!messages.isEmpty()) {
                assertThat(ByteBufUtil.getBytes(out)).as("seed %d", seed).isEqualTo(bytes);
                decoded++;
            }
        }
        assertThat(decoded).as("inputs that were messages").isBetween(RANDOM_INPUTS / 100, RANDOM_INPUTS / 2);
    }

    /** A valid message with a few bytes changed, or any bytes behind a known type. */
    private static byte[] input(List<byte[]> valid, SplittableRandom random) {
        if (random.nextBoolean()) {
            byte[] bytes = valid.get(random.nextInt(valid.size())).clone();
            for (int n = random.nextInt(1, 4); n > 0; n--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            return bytes;
        }
        byte[] bytes = new byte[1 + random.nextInt(200)];
        random.nextBytes(bytes);
        bytes[0] = (byte) (random.nextBoolean() ? random.nextInt(32, 36) : random.nextInt(48, 55));
        return bytes;
    }

    private static List<Message> read(byte[] bytes) {
        try {
            return decode(bytes);
        } catch (MalformedFrameException documented) {
            return List.of();
        }
    }

    private static long allocationOf(byte[] bytes) {
        long before = allocated();
        read(bytes);
        return allocated() - before;
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static List<Message> decode(byte[] bytes) {
        return Frames.readMessages(Unpooled.wrappedBuffer(bytes), FleaseCodec.INSTANCE);
    }

    private static byte[] encoded(Message message) {
        ByteBuf out = Unpooled.buffer();
        Frames.writeMessages(out, List.of(message), 0, FleaseCodec.INSTANCE);
        return ByteBufUtil.getBytes(out.skipBytes(Integer.BYTES + 1));
    }

    @Test
    void read() {
        pinned(new Read(RESOURCE, round, 0x43, Interest.NONE), "20" + ROUND_HEAD + " 00");
        pinned(new Read(RESOURCE, round, 0x43, Interest.ONCE), "20" + ROUND_HEAD + " 01");
        pinned(new Read(RESOURCE, round, 0x43, Interest.WAITS), "20" + ROUND_HEAD + " 02");
    }

    @Test
    void write() {
        pinned(new Write(RESOURCE, round, 0x43, value), "21" + ROUND_HEAD + VALUE);
        pinned(new Write(RESOURCE, round, 0x43, new Value(null, 0, 0x65)), "21" + ROUND_HEAD + " 00 0000000000000065");
    }

    @Test
    void query() {
        pinned(new Query(0x43, List.of("r", "s")), "22" + ATTEMPT + " 02 01 72 01 73");
    }

    @Test
    void compare() {
        pinned(new Compare(0x43), "23" + ATTEMPT);
    }

    @Test
    void readAck() {
        pinned(new ReadAck(RESOURCE, round, 0x43, new Stored(round, value)), "30" + ROUND_HEAD + ROUND + VALUE);
    }

    @Test
    void writeAck() {
        pinned(new WriteAck(RESOURCE, round, 0x43), "31" + ROUND_HEAD);
    }

    @Test
    void nack() {
        pinned(
                new Nack(RESOURCE, round, 0x43, Round.NONE),
                "32" + ROUND_HEAD + " 0000000000000000 0000000000000000 01 2d");
    }

    @Test
    void known() {
        pinned(new Known(0x43, List.of(new Stored(round, value))), "33" + ATTEMPT + " 01" + ROUND + VALUE);
    }

    @Test
    void compared() {
        pinned(new Compared(0x43, 0x21), "34" + ATTEMPT + " 0000000000000021");
    }

    @Test
    void freed() {
        pinned(new Freed(RESOURCE, 0x0102), "35 03 72c3a9 0102");
    }

    @Test
    void inUseOfFlease() {
        pinned(new FleaseMessage.InUse(RESOURCE, 0x65), "36 03 72c3a9 0000000000000065");
    }

    private static void pinned(Message message, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThat(encoded(message))
                .asHexString()
                .isEqualTo(HexFormat.of().withUpperCase().formatHex(bytes));
        assertThat(decode(bytes)).containsExactly(message);
    }
}
