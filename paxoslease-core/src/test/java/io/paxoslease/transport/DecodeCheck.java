package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What must hold of every reader whatever the bytes are. */
final class DecodeCheck {

    /**
     * The dearest byte is the length of an empty text: it makes a view of the buffer (up to 64 bytes), a decoder (64), a
     * buffer of characters with its array (64), a string with its array (48) and its places in lists that double (24).
     * Any other byte of a text is copied as at most two characters of two bytes, three times.
     */
    private static final long TEXT = 64 + 64 + 64 + 48 + 24;
    /** A node id is of two bytes at least, and checked twice: its bytes, an encoder, a stream of its characters. */
    private static final long NODE_ID = 2 * 512 / 2;

    private static final long PER_BYTE = TEXT + NODE_ID;
    /** The list, the exception with its trace and its sentence, one pattern for control characters. */
    private static final long PER_FRAME = 8_192;

    private static final int MAX_MEMBERS = 63;

    private static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private DecodeCheck() {}

    /** Gives the bytes to every reader. */
    static void everyReader(byte[] bytes) {
        check(DecodeCheck::messages, bytes);
        check(DecodeCheck::frameOfMessages, bytes);
        check(DecodeCheck::hello, bytes);
        check(DecodeCheck::members, bytes);
        check(DecodeCheck::coming, bytes);
        check(DecodeCheck::rejection, bytes);
        assertAllocationIsBounded("messages", Frames::readMessages, bytes);
        assertAllocationIsBounded("hello", in -> Frames.readHello(in, Versions.OURS), bytes);
        assertAllocationIsBounded("members", in -> Frames.readMembers(in, Versions.OURS), bytes);
        assertAllocationIsBounded("coming", Frames::readComing, bytes);
        assertAllocationIsBounded("rejection", in -> Frames.readRejection(in, Versions.OURS), bytes);
    }

    private static boolean check(Consumer<ByteBuf> reader, byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            reader.accept(in);
            return true;
        } catch (MalformedFrameException | UnsupportedVersionException documented) {
            return false;
        }
    }

    /** One form per message: what was read is written as the very bytes that were consumed. */
    private static void messages(ByteBuf in) {
        while (in.isReadable()) {
            int start = in.readerIndex();
            Message message = MessageCodec.decode(in);
            assertThat(in.readerIndex()).as("progress").isGreaterThan(start);
            byte[] consumed = new byte[in.readerIndex() - start];
            in.getBytes(start, consumed);
            assertThat(Samples.encoded(message)).as("%s", message).isEqualTo(consumed);
        }
    }

    /** A frame yields all its messages or none. */
    private static void frameOfMessages(ByteBuf in) {
        ByteBuf copy = in.duplicate();
        List<Message> read = Frames.readMessages(in);
        List<Message> oneByOne = new ArrayList<>();
        while (copy.isReadable()) {
            oneByOne.add(MessageCodec.decode(copy));
        }
        assertThat(read).isEqualTo(oneByOne);
        assertThat(in.isReadable()).isFalse();
    }

    private static void hello(ByteBuf in) {
        Hello hello = Frames.readHello(in, Versions.OURS);
        assertThat(hello.config().members()).hasSizeLessThanOrEqualTo(MAX_MEMBERS);
        ByteBuf out = Unpooled.buffer();
        Frames.writeHello(out, Frames.HELLO, hello);
        assertThat(Frames.readHello(body(out), Versions.OURS)).isEqualTo(hello);
    }

    private static void members(ByteBuf in) {
        CellMembers members = Frames.readMembers(in, Versions.OURS);
        assertThat(members.addresses().keySet())
                .containsExactlyElementsOf(
                        members.teller().config().generation().everyone())
                .contains(members.teller().from());
        ByteBuf out = Unpooled.buffer();
        Frames.writeMembers(out, members);
        assertThat(Frames.readMembers(body(out), Versions.OURS)).isEqualTo(members);
    }

    private static void coming(ByteBuf in) {
        ComingMembers coming = Frames.readComing(in);
        assertThat(coming.addresses().keySet())
                .containsExactlyInAnyOrderElementsOf(coming.generation().everyone());
        ByteBuf out = Unpooled.buffer();
        Frames.writeComing(out, coming);
        assertThat(Frames.readComing(body(out))).isEqualTo(coming);
    }

    /** A reason of a later release has no code here. Bytes that are no UTF-8 become a sign of three bytes each, so that what was read may be too long to be written. */
    private static void rejection(ByteBuf in) {
        Rejection rejection = Frames.readRejection(in, Versions.OURS);
        boolean isKnown = rejection.reason() != ConnectionRefusal.BY_PEER;
        if (isKnown && rejection.text().getBytes(StandardCharsets.UTF_8).length <= Short.MAX_VALUE) {
            ByteBuf out = Unpooled.buffer();
            Frames.writeRejection(out, rejection);
            assertThat(Frames.readRejection(body(out), Versions.OURS)).isEqualTo(rejection);
        }
    }

    static ByteBuf body(ByteBuf frame) {
        assertThat(frame.readInt()).isEqualTo(frame.readableBytes()).isLessThanOrEqualTo(Frames.MAX_FRAME);
        return frame.skipBytes(1);
    }

    /** What only the first calls in a virtual machine allocate is not the reader's doing: the second time counts. */
    private static void assertAllocationIsBounded(String name, Consumer<ByteBuf> reader, byte[] bytes) {
        long bound = PER_FRAME + PER_BYTE * bytes.length;
        if (allocation(reader, bytes) > bound) {
            assertThat(allocation(reader, bytes))
                    .as("what %d bytes, read as %s, made the reader allocate", bytes.length, name)
                    .isLessThanOrEqualTo(bound);
        }
    }

    private static long allocation(Consumer<ByteBuf> reader, byte[] bytes) {
        long before = threads.getCurrentThreadAllocatedBytes();
        check(reader, bytes);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
