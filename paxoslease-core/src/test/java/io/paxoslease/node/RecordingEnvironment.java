package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.shell.LifeRecorder;
import io.paxoslease.shell.StepTap;
import java.util.List;
import java.util.function.Consumer;

/** The machine, under a node whose steps, incarnations and random numbers are written down. */
final class RecordingEnvironment extends DelegatingEnvironment {

    private final PaxosLeaseOptions options;
    private final StepTap tap;
    private final Consumer<LifeRecorder> begun;

    /** @param begun is handed the recorder of this life */
    RecordingEnvironment(PaxosLeaseOptions options, StepTap tap, Consumer<LifeRecorder> begun) {
        super(StartedNodes.environment(options));
        this.options = options;
        this.tap = tap;
        this.begun = begun;
    }

    @Override
    public Node newNode(Timing timing, Reading now) {
        NodeId self = new NodeId(options.nodeId());
        List<NodeId> members =
                options.peers().keySet().stream().map(NodeId::new).sorted().toList();
        Moment quarantineEnd = now.moment().plusNanos(timing.quarantineNanos());
        LifeRecorder recorder = new LifeRecorder(self, members, timing, quarantineEnd, now);
        begun.accept(recorder);
        return recorder.newNode(new IncarnationSource(), tap);
    }
}
