package io.paxoslease.testing;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.StorageOptions;
import io.paxoslease.node.NodeAlgorithm;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.Wiring;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One life of a node in an in-memory cell. */
final class InMemoryWiring implements Wiring {

    private final InMemoryTime time;
    private final InMemoryNetwork network;
    private final InMemorySeat seat;
    private final NodeAlgorithm algorithm;
    private final InMemoryLoop loop;
    private final InMemoryCallbacks callbacks;
    private volatile Transport.@Nullable Receiver receiver;

    private final @Nullable StorageOptions storage;

    InMemoryWiring(InMemoryTime time, InMemoryNetwork network, InMemorySeat seat, PaxosLeaseOptions options) {
        this.algorithm = NodeAlgorithm.of(options);
        this.storage = options.storage();
        this.time = time;
        this.network = network;
        this.seat = seat;
        this.loop = new InMemoryLoop(time);
        this.callbacks = time.newCallbacks(seat.id.name());
    }

    @Override
    public NodeClock clock() {
        return time;
    }

    /** A0, in the cell's time. In a cell of one nobody else has granted anything. */
    @Override
    public LeaseAlgorithm newNode(Timing timing, Reading now) {
        List<NodeId> members = network.members();
        return algorithm.create(new NodeAlgorithm.Setup(
                seat.id,
                members,
                timing,
                members.size() == 1 ? null : seat.memoryLostAt,
                ConfigurationGuard.none(seat.id),
                seat::nextIncarnation,
                new SplittableRandom(seat.number),
                now));
    }

    @Override
    public void open(Transport.Receiver opened, Moment now) {
        receiver = opened;
        time.call(() -> network.join(seat, this));
    }

    Transport.Receiver receiver() {
        return Objects.requireNonNull(receiver, "opened before it is known to anybody");
    }

    @Override
    public InMemoryLoop loop() {
        return loop;
    }

    @Override
    public Transport transport() {
        return storage == null
                ? (to, messages) -> network.send(seat, to, messages)
                : (to, messages) -> network.ask(seat, storage.register(), messages);
    }

    @Override
    public Executor callbacks() {
        return callbacks;
    }

    @Override
    public List<PeerState> peers() {
        return storage == null ? seat.peers : List.of();
    }

    @Override
    public void close() {
        time.call(() -> network.leave(seat, this));
        callbacks.close();
    }
}
