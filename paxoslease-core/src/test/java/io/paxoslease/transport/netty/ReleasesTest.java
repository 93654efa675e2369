package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of releases that wait on a connection whose place another one takes. Member a sends them to member b, which does not read. */
class ReleasesTest implements Transport.Receiver {

    private static final NodeId B = new NodeId("b");
    private static final Incarnation SELF = new Incarnation(1, 1);
    private static final List<Message> RELEASES = LongStream.range(0, 20_000)
            .<Message>mapToObj(i -> new PaxosMessage.Release("resource-number-" + i, SELF, i))
            .toList();

    private final FrozenMember member =
            new FrozenMember(this, new Security(null), new ClientMemory(16 << 20), ClientLimits.NONE);
    private final List<End> ends = new ArrayList<>();

    /** What b has of a connection. */
    private static final class End extends EmbeddedChannel {

        boolean reads = true;

        @Override
        protected void doWrite(ChannelOutboundBuffer out) throws Exception {
            if (reads) {
                super.doWrite(out);
            }
        }

        List<Message> messages() {
            List<Message> all = new ArrayList<>();
            for (ByteBuf out = readOutbound(); out != null; out = readOutbound()) {
                while (out.isReadable()) {
                    ByteBuf frame = out.readSlice((int) out.readUnsignedInt());
                    if (frame.readUnsignedByte() == Frames.MESSAGES) {
                        all.addAll(Frames.readMessages(frame));
                    }
                }
                out.release();
            }
            return all;
        }
    }

    @AfterEach
    void nothingIsLeft() {
        for (End each : ends) {
            each.reads = true;
            each.finishAndReleaseAll();
        }
        member.loop.finishAndReleaseAll();
    }

    private End says(Connection connection, int type, long boot) {
        End end = new End();
        ends.add(end);
        connection.equip(end);
        if (type == Frames.WELCOME) {
            end.pipeline().fireChannelActive();
        }
        Hello hello = new Hello(FrozenMember.CONFIG, B, new NodeId("a"), new Incarnation(boot, boot), Versions.OURS);
        member.read(FrozenMember.bytes(out -> Frames.writeHello(out, type, hello)), end);
        assertThat(connection.isReady()).isTrue();
        return end;
    }

    private End called() {
        return says(new OutboundConnection(member.context, member.links.peer(B)), Frames.WELCOME, 7);
    }

    private End calls() {
        return says(new InboundConnection(member.context, member.links, () -> {}), Frames.HELLO, 7);
    }

    private void release(End over) {
        over.messages();
        over.reads = false;
        member.links.send(B, Collections.nCopies(10_000, Endpoint.request(1)));
        assertThat(over.isWritable()).isFalse();
        member.links.send(B, RELEASES);
    }

    private List<Message> arrivesOver(End end) {
        end.flush();
        end.runPendingTasks();
        return end.messages();
    }

    /** As after a TLS reload. */
    @Test
    void theSuccessorOfAConnectionSendsThem() {
        End before = called();
        release(before);
        End after = called();
        assertThat(before.isOpen()).isFalse();
        assertThat(arrivesOver(after)).isEqualTo(RELEASES);
    }

    @Test
    void theNextConnectionThatThePeerMakesSendsThem() {
        End before = calls();
        release(before);
        assertThat(arrivesOver(calls())).isEqualTo(RELEASES);
    }

    @Test
    void theOtherConnectionSendsThemWhenTheirsIsLost() {
        End lost = calls();
        End other = called();
        lost.reads = false;
        release(other); // over the one that the peer made, as that had room
        release(lost);
        lost.close();
        other.reads = true;
        assertThat(arrivesOver(other)).filteredOn(Releases::isRelease).endsWith(RELEASES.toArray(Message[]::new));
    }

    /** With TLS, another connection has its place for a second before it closes. */
    @Test
    void whatAConnectionCarriedThatIsAboutToCloseIsToBeReadAsWell() {
        End end = called();
        member.links.send(B, List.of(RELEASES.get(0)));
        arrivesOver(end);
        PeerLink link = member.links.peer(B);
        link.retiring.add(Objects.requireNonNull(link.outbound));
        link.outbound = null;
        assertThat(member.links.unread()).isPositive();
        end.close();
        assertThat(member.links.unread()).isZero();
    }

    /** It does not know what the one before it knew. */
    @Test
    void anotherProcessIsNotSentThem() {
        End lost = called();
        release(lost);
        lost.close();
        End next = says(new InboundConnection(member.context, member.links, () -> {}), Frames.HELLO, 8);
        assertThat(arrivesOver(next)).isEmpty();
    }

    @Override
    public void received(NodeId from, List<Message> messages) {}

    @Override
    public void reachable(NodeId peer) {}

    @Override
    public void unreachable(NodeId peer) {}
}
