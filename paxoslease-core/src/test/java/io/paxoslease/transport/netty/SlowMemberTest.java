package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Versions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a client still sends to a member that does not read, as it has been asked too much. */
class SlowMemberTest {

    private static final Incarnation SELF = new Incarnation(1, 1);
    private static final long HIGH = 64 * 1_024;
    private static final long MOST_OF_RENEWALS = 1 << 20;
    private static final int FRAME = 64 * 1_024;

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    private final EmbeddedChannel loop = new EmbeddedChannel();
    private boolean slow = true;
    private int pings;
    /** So many buffers are taken, one after the other; null: all. */
    private @Nullable Integer room;

    private final EmbeddedChannel channel = new EmbeddedChannel() {
        @Override
        protected void doWrite(ChannelOutboundBuffer out) throws Exception {
            if (!slow && room == null) {
                super.doWrite(out);
            }
            for (; !slow && room != null && room > 0 && out.current() != null; room--) {
                handleOutboundMessage(((ByteBuf) out.current()).retain());
                out.remove();
            }
        }
    };

    private Connection connection(Hello.Role role) {
        TransportContext context = new TransportContext(
                new Identity(config, new NodeId("z"), SELF, Versions.OURS, role, "orders", MessageTypes.NONE),
                Map.of(),
                new Security(null),
                address -> address,
                loop.eventLoop(),
                1,
                LoggerFactory.getLogger(NettyTransport.class),
                ClientMemory.ofThisProcess());
        context.lookUps.shutdownNow();
        PeerLinks links = new PeerLinks(context, Map.of(), new ClientLinks(context, ClientLimits.NONE, null));
        Connection connection = new InboundConnection(context, links, () -> {});
        connection.equip(channel);
        connection.readyFor(Endpoint.hello(config, "a", "z"));
        if (role == Hello.Role.CLIENT) {
            connection.liveness.becomeClients();
        }
        return connection;
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
        loop.finishAndReleaseAll();
    }

    private static Message propose(long counter, long enqueued) {
        return new PaxosMessage.Propose("r", new Ballot(counter, SELF), 1, counter, QueueMode.ASK_HOLDER, enqueued, 0);
    }

    private static PaxosMessage.Extend extend(long number) {
        return new PaxosMessage.Extend(SELF, 1, 1, number, List.of(new PaxosMessage.Extension("r", number)));
    }

    private static List<Message> wishes() {
        return LongStream.rangeClosed(1, 10_000).mapToObj(i -> propose(i, 1)).toList();
    }

    private long waiting() {
        return channel.unsafe().outboundBuffer().totalPendingWriteBytes();
    }

    /** What arrives once the member reads again. */
    private List<Message> arrives() {
        slow = false;
        channel.flush();
        channel.runPendingTasks();
        List<Message> all = new ArrayList<>();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            while (out.isReadable()) {
                ByteBuf frame = out.readSlice((int) out.readUnsignedInt());
                int type = frame.readUnsignedByte();
                if (type == Frames.MESSAGES) {
                    all.addAll(Frames.readMessages(frame));
                } else {
                    assertThat(type).isEqualTo(Frames.PING);
                    pings++;
                }
            }
            out.release();
        }
        return all;
    }

    @Test
    void renewalsAndReleasesAreSentAndTheRestIsDropped() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, wishes());
        assertThat(channel.isWritable()).isFalse();
        assertThat(waiting()).isLessThan(HIGH + FRAME + 1_024);

        Message later = new PaxosMessage.InMode(1, 7, extend(8));
        Message release = new PaxosMessage.Release("r", SELF, 9);
        PeerLinks.write(member, List.of(propose(1, 1), extend(7), release, propose(2, 0), later, propose(3, 2)));

        List<Message> arrived = arrives();
        assertThat(arrived).endsWith(extend(7), propose(2, 0), later, release);
        assertThat(arrived.subList(0, arrived.size() - 4))
                .as("of the wishes what there was room for")
                .isEqualTo(wishes().subList(0, arrived.size() - 4));
    }

    /** No node asks for a release again. */
    @Test
    void releasesOfOneBatchAllArriveAndRenewalsOvertakeThem() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, releases(20_000));
        assertThat(waiting()).isLessThan(HIGH + 2 * FRAME);
        PeerLinks.write(member, List.of(extend(7)));

        List<Message> arrived = arrives();
        assertThat(arrived.indexOf(extend(7))).isBetween(1, 10_000);
        assertThat(arrived).hasSize(20_001);
        assertThat(releasesOf(arrived)).isEqualTo(releases(20_000));
        PeerLinks.write(member, List.of(propose(1, 1)));
        assertThat(arrives()).as("and all is well again").containsExactly(propose(1, 1));
    }

    @Test
    void releasesWaitWithinABound() {
        Connection member = connection(Hello.Role.CLIENT);
        for (int i = 0; i < 10; i++) {
            PeerLinks.write(member, releases(20_000));
        }
        assertThat(waiting()).isLessThan(HIGH + 2 * FRAME);
        assertThat(arrives()).hasSizeBetween(Releases.MOST, Releases.MOST + 10_000);
    }

    /** The wishes of others have their turns while many are released. */
    @Test
    void releasesLeaveRoomForWishes() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, wishes());
        PeerLinks.write(member, releases(20_000));
        slow = false;
        member.channel().eventLoop().execute(() -> PeerLinks.write(member, List.of(propose(7, 7))));
        List<Message> arrived = arrives();
        assertThat(arrived).contains(propose(7, 7));
        assertThat(releasesOf(arrived)).isEqualTo(releases(20_000));
    }

    /** As a socket takes them: one after the other, with time between them. */
    @Test
    void aWishIsSentBetweenTwoFramesOfReleases() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, wishes());
        PeerLinks.write(member, releases(60_000));
        slow = false;
        int turns = 0;
        for (long i = 1; member.releases.unsent() > 0; i++) {
            assertThat(i).isLessThan(1_000);
            room = 2;
            channel.flush();
            channel.runPendingTasks();
            turns += channel.isWritable() ? 1 : 0;
            PeerLinks.write(member, List.of(propose(1_000_000 + i, 1)));
        }
        room = null;
        List<Message> arrived = arrives();
        assertThat(releasesOf(arrived)).isEqualTo(releases(60_000));
        assertThat(turns).isGreaterThan(20);
        int lastRelease = arrived.lastIndexOf(releases(60_000).get(59_999));
        assertThat(arrived.subList(0, lastRelease))
                .filteredOn(each -> each instanceof PaxosMessage.Propose wish
                        && wish.ballot().counter() > 1_000_000)
                .hasSizeGreaterThan(20);
    }

    @Test
    void theyAreDroppedWithTheConnection() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, releases(20_000));
        assertThat(PeerLinks.unreadBy(member)).isPositive();
        channel.close();
        assertThat(PeerLinks.unreadBy(member)).isZero();
    }

    /** Behind what others have sent, a frame may wait long to be read: one release counts as well as many. */
    @Test
    void aReleaseIsUnreadUntilTheMemberHasAnswered() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, wishes());
        assertThat(arrives()).isNotEmpty();
        assertThat(PeerLinks.unreadBy(member)).as("nothing was released").isZero();
        PeerLinks.write(member, releases(1));
        answers(pings);
        pings = 0;
        assertThat(PeerLinks.unreadBy(member)).isPositive();
        assertThat(arrives()).isEqualTo(releases(1));
        assertThat(PeerLinks.unreadBy(member)).as("until it is answered").isPositive();
        arrives();
        answers(1);
        assertThat(PeerLinks.unreadBy(member)).isZero();
        assertThat(pings).isEqualTo(1);
    }

    /** The member dropped them when it could not send, perhaps long ago. */
    @Test
    void answersThatWereDroppedBeforeAreMadeUpForOneByOne() {
        Connection member = connection(Hello.Role.CLIENT);
        for (int i = 0; i < 3; i++) {
            member.sendIfWritable(member.liveness::addPing);
        }
        PeerLinks.write(member, releases(1));
        arrives();
        for (int look = 0; look <= 3; look++) {
            assertThat(PeerLinks.unreadBy(member)).isPositive();
            pings = 0;
            arrives();
            assertThat(pings).isEqualTo(1);
            answers(1);
        }
        assertThat(PeerLinks.unreadBy(member)).isZero();
    }

    @Test
    void releasesThatAreTakenOverLaterAreToBeReadAsWell() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, releases(1));
        arrives();
        assertThat(PeerLinks.unreadBy(member)).isPositive();
        arrives();
        answers(pings);
        assertThat(PeerLinks.unreadBy(member)).isZero();

        pings = 0;
        Releases others = new Releases(member::channel, out -> {});
        others.await(releases(5));
        member.releases.takeOver(others);
        assertThat(arrives()).isEqualTo(releases(5));
        assertThat(PeerLinks.unreadBy(member)).isPositive();
        answers(pings);
        assertThat(PeerLinks.unreadBy(member)).isZero();
    }

    /** It answers as it goes on: who waits for it sees that. */
    @Test
    void eachFrameOfManyReleasesThatIsReadIsProgress() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, releases(20_000));
        assertThat(arrives()).hasSize(20_000);
        assertThat(pings).isGreaterThan(10);
        long before = PeerLinks.unreadBy(member);
        for (; pings > 0; pings--) {
            answers(1);
            long now = PeerLinks.unreadBy(member);
            assertThat(now).isLessThan(before);
            before = now;
        }
        assertThat(before).isPositive();
        answers(1);
        assertThat(PeerLinks.unreadBy(member)).isZero();
    }

    private void answers(int count) {
        for (int i = 0; i < count; i++) {
            ByteBuf pong = Unpooled.buffer();
            Frames.writeEmpty(pong, Frames.PONG);
            channel.writeInbound(pong);
        }
    }

    private static List<Message> releasesOf(List<Message> messages) {
        return messages.stream().filter(Releases::isRelease).toList();
    }

    private static List<Message> releases(int count) {
        return LongStream.rangeClosed(1, count)
                .<Message>mapToObj(i -> new PaxosMessage.Release("resource-number-" + i, SELF, i))
                .toList();
    }

    /** They come last in one batch with more than the member takes. */
    @Test
    void renewalsBehindWishesAreSent() {
        Connection member = connection(Hello.Role.CLIENT);
        List<Message> batch = Stream.concat(wishes().stream(), Stream.of(extend(7), propose(1, 2), propose(2, 0)))
                .toList();
        PeerLinks.write(member, batch);
        assertThat(waiting()).isLessThan(HIGH + 2 * FRAME);
        assertThat(arrives()).hasSizeLessThan(10_000).endsWith(extend(7), propose(2, 0));
    }

    @Test
    void renewalsWaitWithinABound() {
        Connection member = connection(Hello.Role.CLIENT);
        PeerLinks.write(member, wishes());
        List<Message> batch = Collections.nCopies(100, extend(7));
        for (int i = 0; i < 10_000; i++) {
            PeerLinks.write(member, batch);
        }
        assertThat(waiting()).isBetween(MOST_OF_RENEWALS, MOST_OF_RENEWALS + HIGH + 2 * FRAME);
        arrives();
        PeerLinks.write(member, List.of(propose(1, 1)));
        assertThat(arrives()).as("and all is well again").containsExactly(propose(1, 1));
    }

    @Test
    void aMemberDropsTheBatchThatAnotherOneIsTooSlowFor() {
        Connection member = connection(Hello.Role.MEMBER);
        channel.config().setWriteBufferWaterMark(TransportContext.WATER_MARK);
        while (channel.isWritable()) {
            PeerLinks.write(member, wishes());
        }
        long before = waiting();
        PeerLinks.write(member, List.of(extend(7), propose(1, 0)));
        assertThat(waiting()).isEqualTo(before);
        PeerLinks.write(member, releases(20_000));
        assertThat(waiting()).isLessThan(before + FRAME);
        List<Message> arrived = arrives();
        assertThat(arrived).doesNotContain(extend(7));
        assertThat(releasesOf(arrived)).isEqualTo(releases(20_000));
    }
}
