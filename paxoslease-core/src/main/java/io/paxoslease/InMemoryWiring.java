package io.paxoslease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Node;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.runtime.NodeClock;
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
    private final InMemoryLoop loop;
    private final InMemoryCallbacks callbacks;
    private volatile Transport.@Nullable Receiver receiver;

    InMemoryWiring(InMemoryTime time, InMemoryNetwork network, InMemorySeat seat) {
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
    public Node newNode(Timing timing, Reading now) {
        Quorum quorum = new Quorum(network.members());
        Moment lost = quorum.size() == 1 ? null : seat.memoryLostAt;
        Moment quarantineEnd = lost == null ? null : lost.plusNanos(timing.quarantineNanos());
        SplittableRandom random = new SplittableRandom(seat.number);
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
        return (to, messages) -> network.send(seat, to, messages);
    }

    @Override
    public Executor callbacks() {
        return callbacks;
    }

    @Override
    public List<PeerState> peers() {
        return seat.peers;
    }

    @Override
    public void close() {
        time.call(() -> network.leave(seat, this));
        callbacks.close();
    }
}
