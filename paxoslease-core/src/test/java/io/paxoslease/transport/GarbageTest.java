package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Whatever the network brings is a frame or malformed: no other exception, no endless loop, no large allocation. */
class GarbageTest {

    private static final int ROUNDS = 10_000;

    /** Generous; a length that was taken from the bytes unchecked would show all the same. */
    private static final long ALLOCATION_PER_BYTE = 400;

    private static final long ALLOCATION_PER_FRAME = 50_000;

    private static final List<Consumer<ByteBuf>> READERS = List.of(
            Frames::readMessages,
            in -> Frames.readHello(in, Versions.OURS),
            in -> Frames.readRejection(in, Versions.OURS));

    /** What the first calls of a JVM allocate, for regular expressions for instance, is not the reader's doing. */
    @BeforeAll
    static void warmUp() {
        validBodies().forEach(bytes -> READERS.forEach(reader -> read(reader, bytes)));
    }

    @Test
    void randomBytesAreMalformedAtWorst() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            readAll(bytes);
        }
    }

    @Test
    void randomBytesBehindAKnownTypeAreMalformedAtWorst() {
        SplittableRandom random = new SplittableRandom(2);
        int[] types = {1, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22};
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = new byte[1 + random.nextInt(200)];
            random.nextBytes(bytes);
            bytes[0] = (byte) types[random.nextInt(types.length)];
            readAll(bytes);
        }
    }

    @Test
    void validFramesWithMutationsAreMalformedAtWorst() {
        SplittableRandom random = new SplittableRandom(3);
        List<byte[]> valid = validBodies();
        for (int i = 0; i < ROUNDS / 2; i++) {
            byte[] bytes = valid.get(random.nextInt(valid.size())).clone();
            for (int n = random.nextInt(1, 6); n > 0; n--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            readAll(bytes);
        }
    }

    @Test
    void whatDecodesEncodesToTheSameMessageAgain() {
        SplittableRandom random = new SplittableRandom(4);
        List<Message> samples = Samples.everyType();
        int decoded = 0;
        for (int i = 0; i < ROUNDS / 4; i++) {
            byte[] bytes = Samples.encoded(samples.get(random.nextInt(samples.size())));
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            List<Message> messages = messages(bytes);
            for (Message message : messages) {
                assertThat(MessageCodec.decode(Unpooled.wrappedBuffer(Samples.encoded(message))))
                        .isEqualTo(message);
                decoded++;
            }
        }
        assertThat(decoded).as("mutations that stayed valid").isPositive();
    }

    private static List<Message> messages(byte[] bytes) {
        try {
            return Frames.readMessages(Unpooled.wrappedBuffer(bytes));
        } catch (MalformedFrameException e) {
            return List.of();
        }
    }

    private static List<byte[]> validBodies() {
        List<byte[]> bodies = new ArrayList<>();
        Samples.everyType().forEach(message -> bodies.add(Samples.encoded(message)));
        ByteBuf out = Unpooled.buffer();
        Frames.writeMessages(out, Samples.everyType(), 0);
        bodies.add(body(out));
        Frames.writeHello(out.clear(), Frames.HELLO, Samples.plainHello());
        bodies.add(body(out));
        Frames.writeHello(out.clear(), Frames.WELCOME, Samples.longestHello());
        bodies.add(body(out));
        Frames.writeRejection(out.clear(), new Rejection(ConnectionRefusal.CELL, "wrong cell"));
        bodies.add(body(out));
        return bodies;
    }

    private static byte[] body(ByteBuf frame) {
        frame.skipBytes(5);
        return Samples.bytes(frame);
    }

    private static void readAll(byte[] bytes) {
        for (Consumer<ByteBuf> reader : READERS) {
            long before = allocated();
            read(reader, bytes);
            long allocated = allocated() - before;
            if (allocated > ALLOCATION_PER_FRAME + ALLOCATION_PER_BYTE * bytes.length) {
                fail("%d bytes made the reader allocate %d", bytes.length, allocated);
            }
        }
    }

    private static void read(Consumer<ByteBuf> reader, byte[] bytes) {
        try {
            reader.accept(Unpooled.wrappedBuffer(bytes));
        } catch (MalformedFrameException | UnsupportedVersionException expected) {
            // As it should be.
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
