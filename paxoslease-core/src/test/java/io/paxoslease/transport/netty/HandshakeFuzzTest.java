package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Fuzz;
import io.paxoslease.testing.Mutations;
import io.paxoslease.testing.RandomFrames;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import io.paxoslease.transport.netty.FuzzedConnection.End;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.slf4j.LoggerFactory;

/**
 * Whole connections against garbage before, in and after the handshake: nothing reaches the end of the pipeline, nothing
 * leaks, nobody is heard who has not introduced himself, and it does not matter how the bytes are cut.
 */
@Tag("slow")
@Tag("jdk")
class HandshakeFuzzTest {

    private final Logger log = (Logger) LoggerFactory.getLogger(NettyTransport.class);
    private final Fuzz fuzz;
    private @Nullable Level before;

    HandshakeFuzzTest(TestInfo test) {
        fuzz = new Fuzz(test);
    }

    @BeforeEach
    void sayNothing() {
        before = log.getLevel();
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speakAgain() {
        log.setLevel(before);
    }

    @Test
    void aConnectionThatWasAcceptedSurvives() {
        fuzz.runs(1_500, run -> converse(run, End.ACCEPTED));
    }

    @Test
    void aConnectionThatWasMadeSurvives() {
        fuzz.runs(1_500, run -> converse(run, End.MADE));
    }

    @Test
    void aConnectionToAContactPointSurvives() {
        fuzz.runs(1_000, run -> converse(run, End.CONTACT));
    }

    private static void converse(Fuzz.Run run, End end) {
        SplittableRandom random = run.random();
        byte[] bytes = run.input(conversation(random, end == End.ACCEPTED ? Frames.HELLO : Frames.WELCOME));
        FuzzedConnection whole = new FuzzedConnection(end);
        whole.feed(bytes, FuzzedConnection.whole(bytes));
        FuzzedConnection cut = new FuzzedConnection(end);
        cut.feed(bytes, cuts(bytes.length, random));
        assertThat(cut.outcome()).as("in pieces, as in one").isEqualTo(whole.outcome());
        Expectation expected = Expectation.of(bytes, end);
        assertThat(whole.isOpen()).as("open").isEqualTo(expected.open());
        assertThat(!whole.outcome().events().isEmpty()).as("heard").isEqualTo(expected.introduced());
        whole.letTheHandshakeTimeOut();
        assertThat(whole.isOpen()).as("open after the time for a handshake").isEqualTo(whole.isReady());
        whole.end();
        cut.end();
    }

    /** Frames of every kind, of which some are nearly right, and mere noise. */
    private static byte[] conversation(SplittableRandom random, int greeting) {
        ByteBuf out = Unpooled.buffer();
        int start = random.nextInt(10);
        if (start == 8) {
            Frames.writeHello(out, Frames.CONTACT, hello());
        } else if (start == 9) {
            Frames.writeMembers(out, new RandomFrames(random).members());
        } else if (start == 0) {
            Frames.writeHello(out, greeting, new RandomFrames(random).hello());
        }
        if (start < 6) {
            Frames.writeHello(out, greeting, hello());
        }
        for (int n = random.nextInt(5); n > 0; n--) {
            byte[] frame = frame(random, greeting);
            out.writeBytes(random.nextInt(3) > 0 ? frame : Mutations.of(frame, frame(random, greeting), random));
        }
        byte[] bytes = ByteBufUtil.getBytes(out);
        return random.nextInt(6) == 0 ? Mutations.of(bytes, frame(random, greeting), random) : bytes;
    }

    private static Hello hello() {
        return new Hello(
                FuzzedConnection.CONFIG, FuzzedConnection.B, FuzzedConnection.A, new Incarnation(2, 2), Versions.OURS);
    }

    private static byte[] frame(SplittableRandom random, int greeting) {
        RandomFrames frames = new RandomFrames(random);
        ByteBuf out = Unpooled.buffer();
        switch (random.nextInt(14)) {
            case 0 -> Frames.writeHello(out, random.nextInt(3) == 0 ? Frames.CONTACT : greeting, frames.hello());
            case 1 -> Frames.writeHello(out, random.nextBoolean() ? Frames.HELLO : Frames.WELCOME, hello());
            case 2 -> Frames.writeRejection(out, frames.rejection());
            case 3 -> Frames.writeEmpty(out, random.nextInt(11));
            case 4 -> out.writeInt(random.nextInt(3)).writeByte(random.nextInt(10));
            case 5 -> out.writeInt(Frames.MAX_FRAME + random.nextInt(-1, 2)).writeZero(random.nextInt(70_000));
            case 6 -> out.writeInt((int) frames.number()).writeLong(random.nextLong());
            case 7, 8 -> Frames.writeEmpty(out, Frames.PING);
            case 9 -> Frames.writeComing(out, frames.coming());
            case 10 -> Frames.writeComing(out, coming(random));
            default -> Frames.writeMessages(out, messages(frames, random), 0);
        }
        return ByteBufUtil.getBytes(out);
    }

    /** As this node's generation is followed by, with a few members more or less. */
    private static ComingMembers coming(SplittableRandom random) {
        MemberList before = FuzzedConnection.CONFIG.generation().current();
        List<NodeId> members = Stream.of("a", "b", "c", "d", "e")
                .filter(id -> random.nextInt(3) > 0 || id.equals("a"))
                .map(NodeId::new)
                .toList();
        MemberList after = new MemberList(members, before.maxLeaseTime(), before.clockDrift());
        Generation next = new Generation(2, after, before);
        Map<NodeId, InetSocketAddress> addresses = new HashMap<>();
        next.everyone()
                .forEach(id ->
                        addresses.put(id, InetSocketAddress.createUnresolved(id.name(), random.nextInt(1, 0x1_0000))));
        return new ComingMembers(next, addresses);
    }

    private static List<Message> messages(RandomFrames frames, SplittableRandom random) {
        List<Message> messages = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            messages.add(frames.message());
        }
        return messages;
    }

    /** Single bytes, short pieces, or long ones; no more than some hundreds. */
    private static List<Integer> cuts(int length, SplittableRandom random) {
        int longest = Math.max(new int[] {1, 16, 1_500}[random.nextInt(3)], length / 200);
        List<Integer> cuts = new ArrayList<>();
        for (int at = 0; at < length; ) {
            at = Math.min(length, at + random.nextInt(1, longest + 1));
            cuts.add(at);
        }
        return cuts;
    }
}
