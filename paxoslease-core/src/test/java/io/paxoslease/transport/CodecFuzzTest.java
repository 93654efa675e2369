package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Printable;
import io.paxoslease.testing.Fuzz;
import io.paxoslease.testing.Mutations;
import io.paxoslease.testing.RandomFrames;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * The codec against random, nearly valid and extreme frames: bytes become a value or the documented exception, a value
 * becomes the same bytes again, and no reader allocates more than its input accounts for.
 */
@Tag("slow")
@Tag("jdk")
class CodecFuzzTest {

    private static final byte[] TYPES = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 32, 33, 34, 35, 48, 49, 50, 51,
        52, 53, 54
    };
    private static final byte[] HELLO = {'P', 'X', 'L', 'S', 0, 1};

    private final Fuzz fuzz;

    CodecFuzzTest(TestInfo test) {
        fuzz = new Fuzz(test);
    }

    @Test
    void randomBytesAreMalformedAtWorst() {
        fuzz.runs(25_000, run -> DecodeCheck.everyReader(run.input(randomBytes(run.random()))));
    }

    @Test
    void nearlyValidFramesAreMalformedAtWorst() {
        fuzz.runs(10_000, run -> {
            byte[] body = body(run.random());
            boolean changed = run.random().nextInt(8) > 0;
            DecodeCheck.everyReader(run.input(changed ? Mutations.of(body, body(run.random()), run.random()) : body));
        });
    }

    @Test
    void everyMessageComesBackAsItWas() {
        fuzz.runs(8_000, run -> {
            Message message = new RandomFrames(run.random()).message();
            byte[] bytes = run.input(Samples.encoded(message));
            ByteBuf in = Unpooled.wrappedBuffer(bytes);
            assertThat(MessageCodec.decode(in)).isEqualTo(message);
            assertThat(in.isReadable()).isFalse();
            DecodeCheck.everyReader(bytes);
        });
    }

    @Test
    void everyListOfMessagesComesBackInFramesWithinTheLimit() {
        fuzz.runs(300, run -> {
            RandomFrames frames = new RandomFrames(run.random());
            List<Message> messages = new ArrayList<>();
            for (int n = run.random().nextInt(120); n > 0; n--) {
                messages.add(frames.message());
            }
            run.input(messages::toString);
            List<Message> back = new ArrayList<>();
            int next = 0;
            while (next < messages.size()) {
                ByteBuf out = Unpooled.buffer();
                next = Frames.writeMessages(out, messages, next);
                back.addAll(Frames.readMessages(DecodeCheck.body(out)));
            }
            assertThat(back).isEqualTo(messages);
        });
    }

    @Test
    void everyIntroductionComesBackAsItWas() {
        fuzz.runs(3_000, run -> {
            Hello hello = new RandomFrames(run.random()).hello();
            ByteBuf out = Unpooled.buffer();
            Frames.writeHello(out, run.random().nextBoolean() ? Frames.HELLO : Frames.WELCOME, hello);
            run.input(Samples.bytes(out.duplicate()));
            assertThat(Frames.readHello(DecodeCheck.body(out), Versions.OURS)).isEqualTo(hello);
        });
    }

    @Test
    void everyListOfMembersComesBackAsItWas() {
        fuzz.runs(2_000, run -> {
            CellMembers members = new RandomFrames(run.random()).members();
            ByteBuf out = Unpooled.buffer();
            Frames.writeMembers(out, members);
            run.input(Samples.bytes(out.duplicate()));
            assertThat(Frames.readMembers(DecodeCheck.body(out), Versions.OURS)).isEqualTo(members);
        });
    }

    @Test
    void everyChangeOfTheMembersComesBackAsItWas() {
        fuzz.runs(2_000, run -> {
            ComingMembers coming = new RandomFrames(run.random()).coming();
            ByteBuf out = Unpooled.buffer();
            Frames.writeComing(out, coming);
            run.input(Samples.bytes(out.duplicate()));
            assertThat(Frames.readComing(DecodeCheck.body(out))).isEqualTo(coming);
        });
    }

    @Test
    void everyRejectionComesBackAsItIsWrittenIntoTheLog() {
        fuzz.runs(2_000, run -> {
            Rejection rejection = new RandomFrames(run.random()).rejection();
            ByteBuf out = Unpooled.buffer();
            Frames.writeRejection(out, rejection);
            run.input(Samples.bytes(out.duplicate()));
            assertThat(Frames.readRejection(DecodeCheck.body(out), Versions.OURS))
                    .isEqualTo(new Rejection(rejection.reason(), Printable.text(rejection.text())));
        });
    }

    /** Small numbers more often than not: they make lengths and counts that lead further into a frame. */
    private static byte[] randomBytes(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(random.nextInt(16) == 0 ? 3_000 : 100)];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = random.nextInt(4) == 0 ? bytes[i] : (byte) random.nextInt(8);
            }
        }
        int form = random.nextInt(4);
        if (form == 0 && bytes.length > HELLO.length) {
            System.arraycopy(HELLO, 0, bytes, 0, HELLO.length);
        } else if (form > 1 && bytes.length > 0) {
            bytes[0] = TYPES[random.nextInt(TYPES.length)];
        }
        return bytes;
    }

    /** What follows the type of a valid frame. */
    private static byte[] body(SplittableRandom random) {
        RandomFrames frames = new RandomFrames(random);
        ByteBuf out = Unpooled.buffer();
        switch (random.nextInt(9)) {
            case 0 -> Frames.writeHello(out, Frames.HELLO, frames.hello());
            case 1 -> Frames.writeRejection(out, frames.rejection());
            case 2 -> {
                return crowd(frames, random);
            }
            case 3 -> Frames.writeMembers(out, frames.members());
            case 4 -> Frames.writeComing(out, frames.coming());
            default -> {
                List<Message> messages = new ArrayList<>();
                for (int n = random.nextInt(1, 5); n > 0; n--) {
                    messages.add(frames.message());
                }
                Frames.writeMessages(out, messages, 0);
            }
        }
        return Samples.bytes(DecodeCheck.body(out));
    }

    /** Lists that are longer than they may be, or just not; complete all the same. */
    private static byte[] crowd(RandomFrames frames, SplittableRandom random) {
        ByteBuf out = Unpooled.buffer();
        int count = random.nextInt(60, 256);
        switch (random.nextInt(3)) {
            case 0 -> {
                out.writeByte(3).writeZero(24).writeLong(frames.amount()).writeByte(count);
                for (int i = 0; i < count; i++) {
                    out.writeByte(0).writeLong(frames.amount());
                }
            }
            case 1 ->
                out.writeByte(21)
                        .writeZero(24)
                        .writeByte(count)
                        .writeZero(count)
                        .writeByte(count)
                        .writeZero(count);
            default -> {
                out.writeBytes(HELLO).writeShort(0x163).writeShort(0x161).writeShort(0x162);
                out.writeZero(32).writeByte(1).writeZero(10).writeByte(count);
                for (int i = 0; i < count; i++) {
                    out.writeByte(2).writeByte('a' + i / 16).writeByte('a' + i % 16);
                }
            }
        }
        return Samples.bytes(out);
    }
}
