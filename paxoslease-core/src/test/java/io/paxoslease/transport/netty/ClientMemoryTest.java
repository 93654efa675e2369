package io.paxoslease.transport.netty;

import static io.paxoslease.transport.netty.FrozenMember.frames;
import static io.paxoslease.transport.netty.FrozenMember.helloOfClient;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Transport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What many clients together can have a member keep, in time that stands still. */
class ClientMemoryTest implements Transport.Receiver {

    private static final Incarnation SENDER = new Incarnation(1, 1);
    private static final long MOST = 1 << 20;
    /** Less than a frame may have. */
    private static final int PART = 60 * 1_024;

    private static final int CLIENTS = 200;

    private final Security security = new Security(null);
    private final ClientMemory memory = new ClientMemory(16 * MOST);
    private final FrozenMember member = new FrozenMember(this, security, memory, new ClientLimits(1_000, 1_000));
    private final List<End> ends = new ArrayList<>();
    private int heard;

    @AfterEach
    void nothingIsLeft() {
        for (End end : ends) {
            end.slow = false;
            end.finishAndReleaseAll();
        }
        assertThat(memory.sum()).isZero();
        member.loop.finishAndReleaseAll();
    }

    /** A member's end of a connection. */
    private final class End extends EmbeddedChannel {

        /** The other end reads nothing. */
        boolean slow;

        End(ByteBuf hello) {
            freezeTime();
            member.accept(this);
            read(hello);
            takeAll();
            assertThat(isOpen()).isTrue();
            ends.add(this);
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer out) throws Exception {
            if (!slow) {
                super.doWrite(out);
            }
        }

        void read(ByteBuf bytes) {
            pipeline().fireChannelRead(bytes).fireChannelReadComplete();
            runPendingTasks();
            checkException();
        }

        void takeAll() {
            releaseOutbound();
        }
    }

    private End client(int number) {
        return new End(helloOfClient("z" + number));
    }

    private static ByteBuf part() {
        return Unpooled.buffer(PART).writeInt(Frames.MAX_FRAME).writeZero(PART - 4);
    }

    private static Message request() {
        return new PaxosMessage.Propose("r", new Ballot(1, SENDER), 1, 1);
    }

    private long open() {
        return ends.stream().filter(EmbeddedChannel::isOpen).count();
    }

    @Test
    void framesThatComeInPartAreBoundedInSum() {
        for (int i = 0; i < CLIENTS; i++) {
            client(i).read(part());
            assertThat(memory.sum()).isLessThanOrEqualTo(MOST);
        }
        assertThat(open()).isBetween(MOST / 2 / PART, MOST / PART);
        assertThat(ends.get(0).isOpen()).as("who has done so for longest").isFalse();
        assertThat(ends.get(CLIENTS - 1).isOpen()).as("who has begun now").isTrue();
        assertThat(security.refused(ConnectionRefusal.BUSY)).isEqualTo(CLIENTS - open());
    }

    @Test
    void whatClientsDoNotReadIsBoundedInSum() {
        for (int i = 0; i < CLIENTS; i++) {
            End end = client(i);
            end.slow = true;
            for (int sent = 0; sent < 100; sent++) {
                member.links.send(new NodeId("z" + i), Collections.nCopies(100, request()));
                assertThat(memory.sum()).isLessThanOrEqualTo(MOST);
            }
            end.runPendingTasks();
        }
        assertThat(open()).isBetween(5L, MOST / PART);
        assertThat(ends.get(CLIENTS - 1).isOpen()).isTrue();
    }

    @Test
    void whatIsNotPaidForIsBoundedInSum() {
        for (int i = 0; i < CLIENTS; i++) {
            client(i).read(frames(Collections.nCopies(2_000, new PaxosMessage.AskStanding(1))));
            assertThat(memory.sum()).isLessThanOrEqualTo(MOST);
        }
        assertThat(open()).isBetween(5L, CLIENTS - 1L);
    }

    /** Each of those would be an object of its own, and keep all that came with it. */
    @Test
    void smallFramesThatAreNotPaidForStayInOneBuffer() {
        for (int i = 0; i < CLIENTS; i++) {
            ByteBuf frame = frames(List.of(new PaxosMessage.Released("r", 1)));
            ByteBuf read = Unpooled.buffer(PART);
            while (read.writableBytes() >= frame.readableBytes()) {
                read.writeBytes(frame.duplicate());
            }
            client(i).read(read);
            assertThat(read.refCnt()).as("by what is cut and by what is not").isLessThanOrEqualTo(2);
            assertThat(memory.sum()).isBetween((long) PART, MOST);
        }
        assertThat(open()).isBetween(MOST / 2 / PART, MOST / PART);
    }

    /** Its own frames come in parts as well, for a moment, again and again. */
    @Test
    void anHonestClientStaysBesideThem() {
        End honest = client(CLIENTS);
        for (int i = 0; i < CLIENTS; i++) {
            ByteBuf frame = frames(List.of(request()));
            honest.read(frame.readRetainedSlice(7));
            client(i).read(part());
            honest.read(frame);
            honest.takeAll();
        }
        assertThat(honest.isOpen()).isTrue();
        assertThat(heard).isEqualTo(CLIENTS);
    }

    /** One frame after the other, such that a part of the next one is always there. */
    @Test
    void aClientThatSendsWithoutAPauseKeepsNothingForLong() {
        End honest = client(CLIENTS);
        ByteBuf next = frames(List.of(request()));
        honest.read(next.readRetainedSlice(7));
        for (int i = 0; i < CLIENTS; i++) {
            client(i).read(part());
            ByteBuf frame = frames(List.of(request()));
            honest.read(Unpooled.wrappedBuffer(next, frame.readRetainedSlice(7)));
            next = frame;
            member.loop.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        }
        next.release();
        assertThat(honest.isOpen()).isTrue();
        assertThat(heard).isEqualTo(CLIENTS);
    }

    @Test
    void membersAreNeitherCountedNorClosed() {
        End other = new End(FrozenMember.hello(Endpoint.hello(FrozenMember.CONFIG, "b", "a")));
        other.read(part());
        assertThat(memory.sum()).isZero();
        for (int i = 0; i < CLIENTS; i++) {
            client(i).read(part());
        }
        assertThat(other.isOpen()).as("%s", security.refused()).isTrue();
    }

    @Test
    void whatIsReadAtLastCountsNoMore() {
        End end = client(0);
        end.slow = true;
        member.links.send(new NodeId("z0"), Collections.nCopies(100, request()));
        assertThat(memory.sum()).isPositive();
        end.slow = false;
        end.flush();
        end.read(frames(List.of(request())));
        assertThat(memory.sum()).isZero();
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        heard += messages.size();
    }

    @Override
    public void reachable(NodeId peer) {}

    @Override
    public void unreachable(NodeId peer) {}
}
