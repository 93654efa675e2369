package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that was connected under an id before members knew that a member with that id is to come. */
class ClientUnderAMembersIdTest implements Transport.Receiver {

    private static final NodeId D = new NodeId("d");
    private static final CellConfig NEXT = Endpoint.config("cell", 2, "a b d", "a b");

    private final Security security = new Security(null);
    private final FrozenMember member =
            new FrozenMember(this, security, new ClientMemory(16 << 20), new ClientLimits(10, 10));
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private final Hello client = new Hello(
            FrozenMember.CONFIG, D, new NodeId("a"), new Incarnation(5, 5), Versions.OURS, Hello.Role.CLIENT, "orders");

    @AfterEach
    void nothingIsLeft() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        member.loop.finishAndReleaseAll();
    }

    private EmbeddedChannel says(Hello hello) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        member.accept(channel);
        member.read(FrozenMember.hello(hello), channel);
        return channel;
    }

    private void comes() {
        Generation generation = NEXT.generation();
        Map<NodeId, InetSocketAddress> where = new HashMap<>();
        generation.everyone().forEach(id -> where.put(id, InetSocketAddress.createUnresolved(id.name(), 1)));
        member.links.changes.told(new NodeId("b"), new ComingMembers(generation, where));
    }

    @Test
    void itComesBackUntilThatMemberHasCome() {
        EmbeddedChannel first = says(client);
        comes();
        first.close();
        assertThat(says(client).isOpen()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itDoesNotComeBackOnceThatMemberHasComeWhereverItWasThen(boolean isAway) {
        EmbeddedChannel first = says(client);
        comes();
        if (isAway) {
            first.close();
        }
        EmbeddedChannel ofMember = says(new Hello(NEXT, D, new NodeId("a"), new Incarnation(9, 9), Versions.OURS));
        assertThat(ofMember.isOpen()).isTrue();
        assertThat(first.isOpen()).isFalse();
        ofMember.close();
        long before = security.refused(ConnectionRefusal.DUPLICATE_NODE);
        assertThat(says(client).isOpen()).isFalse();
        assertThat(security.refused(ConnectionRefusal.DUPLICATE_NODE)).isEqualTo(before + 1);
    }

    @Override
    public void received(NodeId from, List<Message> messages) {}

    @Override
    public void reachable(NodeId peer) {}

    @Override
    public void unreachable(NodeId peer) {}
}
