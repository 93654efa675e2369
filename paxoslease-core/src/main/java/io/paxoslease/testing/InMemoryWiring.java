package io.paxoslease.testing;

import io.paxoslease.FleaseOptions;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.StorageOptions;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.StorageWiring;
import io.paxoslease.node.Wiring;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Node;
import io.paxoslease.protocol.Participant;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseNode;
import io.paxoslease.protocol.storage.StorageClient;
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
    private final @Nullable FleaseOptions flease;
    private final InMemoryLoop loop;
    private final InMemoryCallbacks callbacks;
    private volatile Transport.@Nullable Receiver receiver;

    private final @Nullable StorageOptions storage;

    InMemoryWiring(InMemoryTime time, InMemoryNetwork network, InMemorySeat seat, PaxosLeaseOptions options) {
        this.flease = options.flease();
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
    public Participant newNode(Timing timing, Reading now) {
        if (storage != null) {
            return new StorageClient(
                    seat.id,
                    StorageWiring.rules(storage, timing),
                    storage.register().describe(),
                    seat::nextIncarnation,
                    new SplittableRandom(seat.number),
                    now);
        }
        Quorum quorum = new Quorum(network.members());
        Moment lost = quorum.size() == 1 ? null : seat.memoryLostAt;
        SplittableRandom random = new SplittableRandom(seat.number);
        if (flease != null) {
            long bound = flease.clockBound().toNanos();
            Moment silentUntil = lost == null ? null : lost.plusNanos(FleaseNode.silenceNanos(timing, bound));
            return new FleaseNode(seat.id, quorum, timing, bound, silentUntil, seat::nextIncarnation, random, now);
        }
        Moment quarantineEnd = lost == null ? null : lost.plusNanos(timing.quarantineNanos());
        return new Node(seat.id, quorum, timing, quarantineEnd, seat::nextIncarnation, random, now);
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
