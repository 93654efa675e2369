package io.paxoslease.transport.netty;

import static io.paxoslease.transport.netty.FrozenMember.frames;
import static io.paxoslease.transport.netty.FrozenMember.hello;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.pkitesting.X509Bundle;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.TestCa;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is heard of a connection once another one has its place, or its id. With TLS a channel may take seconds to close. */
class ReplacedConnectionTest implements Transport.Receiver {

    private static final TestCa ca = new TestCa("cell");
    private static final Incarnation SENDER = new Incarnation(1, 1);

    private final Security secured = new Security(setup(ca.certificate("a")));
    private final Security plain = new Security(null);
    private final List<End> ends = new ArrayList<>();
    private final List<Message> heard = new ArrayList<>();
    private @Nullable FrozenMember started;

    private FrozenMember member(Security security) {
        FrozenMember member = new FrozenMember(this, security, new ClientMemory(16 << 20), new ClientLimits(10, 10));
        member.context.tlsTasks.setRejectedExecutionHandler((task, pool) -> task.run()); // at once
        member.context.tlsTasks.shutdown();
        started = member;
        return member;
    }

    /** A node that is connected to the member, and perhaps reads nothing. */
    private final class End {

        private final FrozenMember member;
        private final @Nullable TlsByHand tls;
        final InboundConnection connection;
        private boolean reads = true;

        final EmbeddedChannel channel = new EmbeddedChannel() {
            @Override
            protected void doWrite(ChannelOutboundBuffer out) throws Exception {
                if (reads) {
                    super.doWrite(out);
                }
            }
        };

        End(FrozenMember member, @Nullable X509Bundle certificate, Hello hello) throws SSLException {
            this.member = member;
            ends.add(this);
            channel.freezeTime();
            connection = member.accept(channel);
            tls = certificate == null
                    ? null
                    : new TlsByHand(setup(certificate).connecting(InetSocketAddress.createUnresolved("a", 1)));
            if (tls != null) {
                for (ByteBuf sent = tls.handshake(); sent != null; sent = tls.handshake()) {
                    member.read(sent, channel);
                    takeAnswers();
                }
            }
            says(hello(hello));
            takeAnswers();
            assertThat(connection.isReady()).isTrue();
        }

        private void takeAnswers() throws SSLException {
            for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
                if (tls != null) {
                    tls.take(out);
                }
                out.release();
            }
        }

        void says(ByteBuf frames) throws SSLException {
            if (channel.isOpen()) {
                member.read(tls == null ? frames : tls.record(frames), channel);
            }
        }
    }

    private static TlsSetup setup(X509Bundle certificate) {
        return new TlsSetup(
                List.of(TestCa.keys(certificate).getKeyManagers()),
                List.of(TestCa.trust(ca).getTrustManagers()),
                List.of("TLSv1.3"),
                List.of(),
                true);
    }

    private static Hello client(String id, long boot) {
        return new Hello(
                FrozenMember.CONFIG,
                new NodeId(id),
                new NodeId("a"),
                new Incarnation(boot, boot),
                Versions.OURS,
                Hello.Role.CLIENT,
                "orders");
    }

    private static Hello ofMember(long boot) {
        return new Hello(
                FrozenMember.CONFIG, new NodeId("b"), new NodeId("a"), new Incarnation(boot, boot), Versions.OURS);
    }

    private static Message release(long number) {
        return new PaxosMessage.Release("r", SENDER, number);
    }

    @AfterEach
    void nothingIsLeft() {
        for (End each : ends) {
            each.reads = true;
            each.channel.finishAndReleaseAll();
        }
        if (started != null) {
            started.loop.finishAndReleaseAll();
        }
    }

    @Test
    void aClientThatAnotherTakesItsIdFromIsClosedAtOnceAndNotHeard() throws SSLException {
        FrozenMember member = member(secured);
        End squatter = new End(member, ca.certificate("someone"), client("z", 66));
        squatter.reads = false;
        End owner = new End(member, ca.withUri("paxoslease://cell/client/z"), client("z", 7));
        squatter.says(frames(List.of(release(1))));
        assertThat(heard).isEmpty();
        assertThat(squatter.channel.isOpen()).isFalse();
        assertThat(secured.refused(ConnectionRefusal.DUPLICATE_NODE)).isOne();
        owner.says(frames(List.of(release(2))));
        assertThat(heard).containsExactly(release(2));
    }

    /** The client has made another one, as this one seems dead to it. */
    @Test
    void theConnectionBeforeOfTheSameClientIsNotHeard() throws SSLException {
        FrozenMember member = member(secured);
        End before = new End(member, ca.certificate("someone"), client("z", 7));
        before.reads = false;
        new End(member, ca.certificate("someone"), client("z", 7));
        before.says(frames(List.of(release(1))));
        assertThat(heard).isEmpty();
    }

    /** It has sent more than is taken of it at once. Its next turn may come before its channel says that it is closed. */
    @Test
    void whatIsHeldOfAReplacedClientIsNotHeard() throws SSLException {
        FrozenMember member = member(plain);
        End client = new End(member, null, client("d", 7));
        List<Message> many = IntStream.range(0, 20_000)
                .mapToObj(ReplacedConnectionTest::release)
                .toList();
        client.says(frames(many));
        int before = heard.size();
        assertThat(before).isLessThan(many.size());
        client.connection.replace();
        member.loop.advanceTimeBy(1, TimeUnit.SECONDS);
        member.loop.runPendingTasks();
        assertThat(heard).hasSize(before);
    }

    /** With TLS a connection that another one of the same process replaces is read for a second more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theConnectionBeforeOfAMemberIsHeardUntilThatMemberIsLost(boolean isLost) throws SSLException {
        FrozenMember member = member(secured);
        End before = new End(member, ca.certificate("b"), ofMember(7));
        End after = new End(member, ca.certificate("b"), ofMember(7));
        before.says(frames(List.of(release(1))));
        assertThat(heard).containsExactly(release(1));
        if (isLost) {
            after.channel.close();
            after.channel.runPendingTasks();
            new End(member, ca.certificate("b"), ofMember(8));
        } else {
            before.reads = false;
            member.goOn(1_001, before.channel);
        }
        before.says(frames(List.of(release(2))));
        assertThat(heard).containsExactly(release(1));
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        heard.addAll(messages);
    }

    @Override
    public void reachable(NodeId peer) {}

    @Override
    public void unreachable(NodeId peer) {}
}
