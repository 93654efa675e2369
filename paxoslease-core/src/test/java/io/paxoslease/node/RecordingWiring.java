package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Node;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.shell.LifeRecorder;
import io.paxoslease.shell.StepTap;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** The machine, under a node whose steps, incarnations and random numbers are written down. */
final class RecordingWiring implements Wiring {

    private final PaxosLeaseOptions options;
    private final Wiring machine;
    private final StepTap tap;
    private final Consumer<LifeRecorder> begun;

    /** @param begun is handed the recorder of this life */
    RecordingWiring(PaxosLeaseOptions options, StepTap tap, Consumer<LifeRecorder> begun) {
        this.options = options;
        this.machine = SystemWiring.of(options);
        this.tap = tap;
        this.begun = begun;
    }

    @Override
    public Node newNode(Timing timing, Reading now) {
        NodeId self = new NodeId(options.nodeId());
        List<NodeId> members =
                options.peers().keySet().stream().map(NodeId::new).sorted().toList();
        Moment quarantineEnd = new NodeLives(options.cell(), options.nodeId())
                .memoryLostAt(now.moment())
                .plusNanos(timing.quarantineNanos());
        LifeRecorder recorder = new LifeRecorder(self, members, timing, quarantineEnd, now);
        begun.accept(recorder);
        return recorder.newNode(new Incarnations(), tap);
    }

    @Override
    public NodeClock clock() {
        return machine.clock();
    }

    @Override
    public void open(Transport.Receiver receiver, Moment now) {
        machine.open(receiver, now);
    }

    @Override
    public ScheduledExecutorService loop() {
        return machine.loop();
    }

    @Override
    public Transport transport() {
        return machine.transport();
    }

    @Override
    public Executor callbacks() {
        return machine.callbacks();
    }

    @Override
    public List<PeerState> peers() {
        return machine.peers();
    }

    @Override
    public void close() {
        machine.close();
    }
}
