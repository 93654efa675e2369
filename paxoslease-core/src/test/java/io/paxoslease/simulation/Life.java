package io.paxoslease.simulation;

import io.paxoslease.node.NodeClock;
import io.paxoslease.node.SimulatedEnvironment;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Transport;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** What a node stands on between one start and the stop or crash that follows. */
final class Life implements SimulatedEnvironment.Machine, Transport {

    private static final int LATE_CALLBACKS = 6;
    private static final long LATEST_CALLBACK = 5_000_000;

    private final World world;
    private final SimulatedNode node;
    private final SimulatedLoop loop;
    private final Quorum quorum;
    private final Moment memoryLostAt;
    private Transport.@Nullable Receiver receiver;
    private boolean over;

    Life(World world, SimulatedNode node, SimulatedLoop loop, Quorum quorum, Moment memoryLostAt) {
        this.world = world;
        this.node = node;
        this.loop = loop;
        this.quorum = quorum;
        this.memoryLostAt = memoryLostAt;
    }

    @Override
    public NodeClock clock() {
        return node.clock();
    }

    @Override
    public LeaseAlgorithm newNode(Timing timing, Reading now) {
        LeaseAlgorithm made = world.subject().newNode(node, quorum, timing, memoryLostAt, now);
        node.memory().made(made);
        return made;
    }

    @Override
    public void open(Transport.Receiver opened) {
        receiver = opened;
    }

    @Override
    public ScheduledExecutorService loop() {
        return loop;
    }

    @Override
    public Transport transport() {
        return this;
    }

    @Override
    public void send(NodeId to, List<Message> messages) {
        if (!over) {
            node.beforeSending();
        }
        if (!over) {
            node.send(to, messages);
        }
    }

    /** User code runs a little late now and then; a process that died runs none. */
    @Override
    public Executor callbacks() {
        return task -> {
            if (world.chance(LATE_CALLBACKS)) {
                world.agenda().after(world.random().nextLong(LATEST_CALLBACK), () -> node.whenAwake(this, task));
            } else if (!over) {
                task.run();
            }
        };
    }

    /** The loop finds what the network brought. */
    void arrive(int from, NodeId sender, List<Message> messages) {
        loop.arrive(() -> {
            node.heard(from, messages);
            Objects.requireNonNull(receiver).received(sender, messages);
        });
    }

    void hint(NodeId peer, boolean reachable) {
        loop.arrive(() -> {
            Transport.Receiver told = Objects.requireNonNull(receiver);
            if (reachable) {
                told.reachable(peer);
            } else {
                told.unreachable(peer);
            }
        });
    }

    @Override
    public void close() {
        end();
    }

    /** From now on nothing that this life still does has an effect outside. */
    void end() {
        over = true;
        loop.kill();
    }

    boolean isOver() {
        return over;
    }

    SimulatedLoop simulatedLoop() {
        return loop;
    }
}
