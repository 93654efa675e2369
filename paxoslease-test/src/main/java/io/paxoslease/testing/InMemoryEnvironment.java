package io.paxoslease.testing;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.node.NodeAlgorithm;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.NodeEnvironment;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One life of a node in an in-memory cell. */
final class InMemoryEnvironment implements NodeEnvironment {

    private final InMemoryTime time;
    private final InMemoryNetwork network;
    private final InMemoryNode node;
    private final NodeAlgorithm algorithm;
    private final InMemoryLoop loop;
    private final InMemoryCallbacks callbacks;
    private volatile Transport.@Nullable Receiver receiver;

    private final @Nullable UnaryOperator<Message> store;

    InMemoryEnvironment(InMemoryTime time, InMemoryNetwork network, InMemoryNode node, PaxosLeaseOptions options) {
        this.algorithm = NodeAlgorithm.of(options.algorithm());
        this.store = algorithm.store(options, time);
        this.time = time;
        this.network = network;
        this.node = node;
        this.loop = new InMemoryLoop(time);
        this.callbacks = new InMemoryCallbacks(time, node.id.name());
    }

    @Override
    public NodeClock clock() {
        return time;
    }

    /** A0, in the cell's time. */
    @Override
    public LeaseAlgorithm newNode(Timing timing, Reading now) {
        MemberList members = new MemberList(network.members(), timing.maxLeaseTime(), timing.drift());
        return algorithm.create(new NodeAlgorithm.Setup(
                node.id,
                Generation.first(members),
                node.memoryLostAt,
                network.isOfOne(),
                ConfigurationGuard.none(node.id),
                node::nextIncarnation,
                new SplittableRandom(node.number),
                now));
    }

    @Override
    public void open(Transport.Receiver opened) {
        receiver = opened;
        time.call(() -> network.join(node, this));
    }

    Transport.Receiver receiver() {
        return Objects.requireNonNull(receiver, "opened before another node can reach it");
    }

    @Override
    public InMemoryLoop loop() {
        return loop;
    }

    @Override
    public Transport transport() {
        return store == null
                ? (to, messages) -> network.send(node, to, messages)
                : (to, messages) -> network.ask(node, to, store, messages);
    }

    @Override
    public Executor callbacks() {
        return callbacks;
    }

    /** The cell waits for what runs there before it moves its clock. */
    @Override
    public Executor worker(Executor own) {
        return callbacks;
    }

    @Override
    public List<PeerState> peers() {
        return store == null ? network.peers(node) : List.of();
    }

    @Override
    public @Nullable ClientCounts clients() {
        return node.clients;
    }

    @Override
    public void close() {
        time.call(() -> network.leave(node, this));
        callbacks.close();
    }
}
