package io.paxoslease.transport.netty;

import static io.paxoslease.transport.netty.FrozenMember.frames;
import static io.paxoslease.transport.netty.FrozenMember.helloOfClient;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.TestCa;
import io.paxoslease.transport.Transport;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a member takes from one client that speaks TLS, record by record, in time that stands still until it is told to go on. */
@Tag("slow")
@Tag("jdk")
class TlsClientReadingTest implements Transport.Receiver {

    private static final TestCa ca = new TestCa("cell");
    private static final Incarnation SENDER = new Incarnation(1, 1);
    private static final int SECONDS = 3;
    /** As much as one read brings at most. */
    private static final int READ = 64 * 1_024;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Security security = new Security(setup("a"));
    private final ClientMemory memory = new ClientMemory(16 << 20);
    private final FrozenMember member = new FrozenMember(this, security, memory, new ClientLimits(10, 10));
    private final InboundConnection connection;
    private final TlsByHand client;
    private final List<Message> heard = new ArrayList<>();

    TlsClientReadingTest() throws SSLException {
        channel.freezeTime();
        member.context.tlsTasks.setRejectedExecutionHandler((task, pool) -> task.run()); // at once
        member.context.tlsTasks.shutdown();
        connection = member.accept(channel);
        client = new TlsByHand(setup("z").connecting(InetSocketAddress.createUnresolved("a", 1)));
        for (ByteBuf sent = client.handshake(); sent != null; sent = client.handshake()) {
            read(sent);
            takeAnswers(true);
        }
    }

    private static TlsSetup setup(String id) {
        return new TlsSetup(
                List.of(TestCa.keys(ca.certificate(id)).getKeyManagers()),
                List.of(TestCa.trust(ca).getTrustManagers()),
                List.of("TLSv1.3"),
                List.of(),
                true);
    }

    private void introduce() throws SSLException {
        read(client.record(helloOfClient("z")));
        assertThat(connection.isReady()).isTrue();
        takeAnswers(true);
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
        member.loop.finishAndReleaseAll();
        assertThat(memory.sum()).isZero();
    }

    /** In a round of its own. */
    private void read(ByteBuf bytes) {
        member.read(bytes, channel);
    }

    private int takeAnswers(boolean heard) throws SSLException {
        int count = 0;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            count++;
            if (heard) {
                client.take(out);
            }
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

    private static Message release(long number) {
        return new PaxosMessage.Release("r", SENDER, number);
    }

    private ByteBuf inRecords(ByteBuf bytes, int size) throws SSLException {
        ByteBuf out = Unpooled.buffer();
        while (bytes.isReadable()) {
            out.writeBytes(client.record(bytes.readSlice(Math.min(size, bytes.readableBytes()))));
        }
        return out;
    }

    private ByteBuf changesOfKeys(int count) throws SSLException {
        ByteBuf out = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            out.writeBytes(client.changeOfKeys());
        }
        return out;
    }

    /** Each costs the event loop as much as some requests, and is answered with a buffer of 16 KB. */
    @Test
    void changesOfKeysAreFew() throws SSLException {
        introduce();
        read(changesOfKeys(2_000));
        assertThat(channel.isOpen()).isFalse();
        assertThat(takeAnswers(false)).isLessThanOrEqualTo(9);
        assertThat(security.refused(ConnectionRefusal.MALFORMED)).isOne();
    }

    @Test
    void keysMayBeChangedNowAndThen() throws SSLException {
        introduce();
        read(changesOfKeys(7));
        for (int i = 0; i < 100; i++) {
            goOn(1_000);
            takeAnswers(true);
            read(changesOfKeys(1));
            read(client.record(frames(List.of(release(i)))));
        }
        assertThat(heard).hasSize(100);
        assertThat(channel.isOpen()).isTrue();
    }

    /** The keys are there before the HELLO. */
    @Test
    void recordsBeforeTheIntroductionAreFew() throws SSLException {
        read(changesOfKeys(2_000));
        assertThat(channel.isOpen()).isFalse();
        assertThat(takeAnswers(false)).isLessThanOrEqualTo(HandshakeBytes.MOST_SILENT_RECORDS);
        assertThat(security.refused(ConnectionRefusal.MALFORMED)).isOne();
    }

    @Test
    void whatFollowsTheIntroductionInOneReadIsBoundedToo() throws SSLException {
        ByteBuf both = client.record(helloOfClient("z"));
        both.writeBytes(changesOfKeys(2_000));
        read(both);
        goOn(1);
        assertThat(channel.isOpen()).isFalse();
        assertThat(takeAnswers(false)).isLessThanOrEqualTo(12);
    }

    @Test
    void aHelloInHundredsOfRecordsIsNotAwaited() throws SSLException {
        read(inRecords(Unpooled.buffer().writeInt(1_000).writeZero(200), 1));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aHelloInSmallRecordsIsTaken() throws SSLException {
        read(inRecords(helloOfClient("z"), 2));
        assertThat(connection.isReady()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 50})
    void noRecordIsTakenBeyondTheBudget(int size) throws SSLException {
        introduce();
        long bytes = 0;
        for (int millis = 0; millis < SECONDS * 1_000; millis++) {
            if (isRead()) {
                List<Message> some = IntStream.range(0, READ * size / (22 + size) / 35)
                        .mapToObj(TlsClientReadingTest::release)
                        .toList();
                ByteBuf chunk = frames(some);
                bytes += chunk.readableBytes();
                read(inRecords(chunk, size));
            }
            goOn(1);
        }
        long records = (16_384 + SECONDS * 16_000) / RequestBudget.RECORD;
        assertThat(bytes / size).isBetween(records / 3, records + 2 * READ / (22 + size));
    }

    @Test
    void oneTurnTakesFewRecordsAndNoneIsLost() throws SSLException {
        introduce();
        List<Message> sent =
                IntStream.range(0, 80).mapToObj(TlsClientReadingTest::release).toList();
        ByteBuf small = inRecords(frames(sent), 1);
        long records = small.readableBytes() / 23;
        read(small);
        assertThat(records).isGreaterThan(2_000);
        assertThat(isRead()).isFalse();
        assertThat(memory.sum()).as("what is not taken counts").isGreaterThan(READ / 2);
        for (int turns = 1; !isRead(); turns++) {
            assertThat(turns).isLessThan(20);
            goOn(1);
        }
        assertThat(heard).isEqualTo(sent);
        assertThat(memory.sum()).isZero();
    }

    /** Each message in a record of its own. */
    @Test
    void aClientWithinItsBudgetIsNeverPaused() throws SSLException {
        introduce();
        for (int pair = 1; pair <= 7_000; pair++) {
            read(client.record(frames(List.of(new PaxosMessage.Propose("r", new Ballot(pair, SENDER), 1, 1)))));
            read(client.record(frames(List.of(release(pair)))));
            assertThat(isRead()).isTrue();
            if (pair % 7 == 0) {
                goOn(5);
            }
        }
        assertThat(heard).hasSize(14_000);
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
