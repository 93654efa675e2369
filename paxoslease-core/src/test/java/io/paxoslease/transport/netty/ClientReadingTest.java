package io.paxoslease.transport.netty;

import static io.paxoslease.transport.netty.FrozenMember.bytes;
import static io.paxoslease.transport.netty.FrozenMember.frames;
import static io.paxoslease.transport.netty.FrozenMember.helloOfClient;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.timeout.IdleStateEvent;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.transport.ClientRequests;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Transport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a member takes from one client that sends as fast as it is read, in time that stands still until it is told to go on. */
class ClientReadingTest implements Transport.Receiver {

    private static final Incarnation SENDER = new Incarnation(1, 1);
    private static final int SECONDS = 10;
    /** As much as one read brings at most. */
    private static final int READ = 64 * 1_024;
    /** Of a turn: one message may go beyond it. */
    private static final int TURN = 1_024 + 33;

    private static final int BURST_POINTS = 16_384;
    private static final int POINTS_A_SECOND = 16_000;

    private final FrozenMember member =
            new FrozenMember(this, new Security(null), new ClientMemory(16 << 20), new ClientLimits(10, 10));
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<Message> heard = new ArrayList<>();
    private long points;
    private long mostOfATurn;

    ClientReadingTest() {
        channel.freezeTime();
        InboundConnection connection = member.accept(channel);
        read(helloOfClient("z"));
        assertThat(connection.isReady()).isTrue();
        takeAnswers();
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
        member.loop.finishAndReleaseAll();
    }

    private void read(ByteBuf bytes) {
        member.read(bytes, channel);
    }

    private int takeAnswers() {
        int count = 0;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            count++;
            out.release();
        }
        return count;
    }

    private void goOn(long millis) {
        member.goOn(millis, channel);
    }

    private boolean isRead() {
        return channel.config().isAutoRead();
    }

    /** Sends the same bytes again and again, as long as they are read, and answers how many bytes were. */
    private long flood(ByteBuf chunk) {
        long bytes = 0;
        for (int millis = 0; millis < SECONDS * 1_000; millis++) {
            for (int reads = 0; isRead() && reads < 1_000; reads++) {
                read(chunk.retainedDuplicate());
                bytes += chunk.readableBytes();
            }
            takeAnswers();
            goOn(1);
        }
        chunk.release();
        return bytes;
    }

    static Stream<Message> everyMessage() {
        Ballot ballot = new Ballot(1, SENDER);
        List<PaxosMessage.Extension> list =
                Collections.nCopies(512, new PaxosMessage.Extension("a resource of some length", 1));
        return Stream.of(
                new PaxosMessage.AskStanding(1),
                new PaxosMessage.StillInUse("r", SENDER),
                new PaxosMessage.Prepare("r", ballot, 1),
                new PaxosMessage.Propose("r", ballot, 1, 1),
                new PaxosMessage.Propose("r".repeat(255), ballot, 1, 1),
                new PaxosMessage.Release("r", SENDER, 1),
                new PaxosMessage.Extend(SENDER, 1, 1, 7, List.of()),
                new PaxosMessage.Extend(SENDER, 1, 1, 7, list),
                new PaxosMessage.Accepted("r", ballot, 1),
                new PaxosMessage.Released("r", 1),
                new MaxRegisterMessage.RaiseRegister(1, "r", 1),
                new MaxRegisterMessage.ReadRegister(1, "r"),
                new MaxRegisterMessage.KnownRegisters(List.of()));
    }

    @ParameterizedTest
    @MethodSource("everyMessage")
    void noMessageIsTakenBeyondTheBudget(Message message) {
        int count = Math.max(1, READ / frames(List.of(message)).readableBytes());
        long bytes = flood(frames(Collections.nCopies(count, message)));

        long allowed = BURST_POINTS + (long) SECONDS * POINTS_A_SECOND;
        if (ClientRequests.contains(message)) {
            assertThat(points).isBetween(1L, allowed + TURN);
            assertThat(heard.stream().allMatch(message::equals)).isTrue();
        } else {
            assertThat(heard).as("what only members say").isEmpty();
            long size = frames(List.of(message)).readableBytes(); // of many in one frame, a few bytes less
            assertThat((bytes / size - count) * RequestBudget.cost(message)).isLessThanOrEqualTo(allowed + TURN);
        }
        assertThat(mostOfATurn).as("others have their turns meanwhile").isLessThanOrEqualTo(TURN);
        assertThat(bytes).isLessThanOrEqualTo((8L << 20) + SECONDS * (2L << 20) + 2 * READ);
    }

    @Test
    void pingsAreNotTakenBeyondTheBudgetAndOnlyAnsweredWithinIt() {
        int inARead = READ / 5;
        int answers = 0;
        long pings = 0;
        for (int millis = 0; millis < SECONDS * 1_000; millis++) {
            if (isRead()) {
                read(bytes(out -> IntStream.range(0, inARead).forEach(i -> Frames.writeEmpty(out, Frames.PING))));
                pings += inARead;
            }
            int now = takeAnswers();
            assertThat(now).isLessThanOrEqualTo(TURN / RequestBudget.REQUEST);
            answers += now;
            goOn(1);
        }
        long allowed = (BURST_POINTS + (long) SECONDS * POINTS_A_SECOND) / RequestBudget.REQUEST;
        assertThat(pings).isLessThanOrEqualTo(allowed + inARead);
        assertThat(answers).isBetween(1, (int) allowed);
    }

    @Test
    void emptyFramesAreNotTakenBeyondTheBudget() {
        ByteBuf empty =
                bytes(out -> IntStream.range(0, READ / 5).forEach(i -> Frames.writeEmpty(out, Frames.MESSAGES)));
        long frames = flood(empty) / 5;
        assertThat(frames).isBetween(1L, BURST_POINTS + (long) SECONDS * POINTS_A_SECOND + 2 * READ / 5);
    }

    /** What is beyond the budget waits, and comes in the order that it was sent in. */
    @Test
    void nothingIsLostAndNothingOvertakes() {
        List<Message> sent = IntStream.range(0, 20_000)
                .<Message>mapToObj(i -> new PaxosMessage.Release("r", SENDER, i))
                .toList();
        read(frames(sent));
        assertThat(heard.size()).isLessThan(2_000);
        assertThat(isRead()).isFalse();
        for (int i = 0; i < 20; i++) {
            goOn(1);
        }
        assertThat(heard.size())
                .as("the burst, and what a few milliseconds add")
                .isBetween(BURST_POINTS, 17_000);
        for (int i = 0; i < 1_000; i++) {
            goOn(1);
        }
        assertThat(heard.equals(sent)).as("all, in order").isTrue();
        assertThat(isRead()).isTrue();
    }

    @Test
    void whatWaitsIsNotReadWhenTheConnectionIsGone() {
        read(frames(Collections.nCopies(2_000, new PaxosMessage.AskStanding(1))));
        int before = heard.size();
        channel.close();
        channel.runPendingTasks();
        goOn(5_000);
        assertThat(heard.size()).isEqualTo(before).isLessThan(2_000);
    }

    /** Not after the last read: also clients that were idle until now may all send at once. */
    @Test
    void theMoreClientsHaveSentInThisRoundTheLessIsTakenFromTheNextOne() {
        member.context.clientTurns.take(1_000 * ClientTurns.MOST);
        channel.pipeline()
                .fireChannelRead(frames(Collections.nCopies(2_000, new PaxosMessage.AskStanding(1))))
                .fireChannelReadComplete();
        assertThat(mostOfATurn).isEqualTo(ClientTurns.LEAST);

        goOn(1); // the next round
        assertThat(mostOfATurn).isEqualTo(ClientTurns.MOST);
    }

    @Test
    void allClientsTogetherAreBoundedInARound() {
        int taken = 0;
        for (int client = 0; client < 100; client++) {
            int points = member.context.clientTurns.points();
            member.context.clientTurns.take(points);
            taken += points;
        }
        assertThat(taken).isEqualTo(8 * ClientTurns.MOST + 92 * ClientTurns.LEAST);
        member.loop.runPendingTasks();
        assertThat(member.context.clientTurns.points()).isEqualTo(ClientTurns.MOST);
    }

    /** It is silent because it is not read. */
    @Test
    void aClientThatIsNotReadYetIsNotClosedForItsSilence() {
        read(frames(Collections.nCopies(20_000, new PaxosMessage.AskStanding(1))));
        assertThat(isRead()).isFalse();
        channel.pipeline().fireUserEventTriggered(IdleStateEvent.FIRST_READER_IDLE_STATE_EVENT);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        while (!isRead()) {
            goOn(1_000);
        }
        channel.pipeline().fireUserEventTriggered(IdleStateEvent.FIRST_READER_IDLE_STATE_EVENT);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }

    /** Also where the reading of the frame goes on later. */
    @Test
    void aFrameThatIsMalformedAtItsEndEndsTheConnection() {
        ByteBuf frame = frames(Collections.nCopies(2_000, new PaxosMessage.AskStanding(1)));
        frame.setByte(frame.writerIndex() - 9, 255);
        read(frame);
        assertThat(channel.isOpen()).isTrue();
        for (int i = 0; i < 20; i++) {
            goOn(1);
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aClientWithinItsBudgetIsNeverPaused() {
        for (int i = 0; i < 20_000; i++) {
            read(frames(List.of(new PaxosMessage.Propose("r", new Ballot(i, SENDER), 1, i))));
            read(frames(List.of(new PaxosMessage.Release("r", SENDER, i))));
            assertThat(isRead()).isTrue();
            if (i % 2 == 1) {
                goOn(1);
            }
            takeAnswers();
        }
        assertThat(heard.size()).isEqualTo(40_000);
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        int cost = messages.stream().mapToInt(RequestBudget::cost).sum();
        points += cost;
        mostOfATurn = Math.max(mostOfATurn, cost);
        heard.addAll(messages);
    }

    @Override
    public void reachable(NodeId peer) {}

    @Override
    public void unreachable(NodeId peer) {}
}
