package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Nodes without what {@link LocalNode} puts around them. */
public final class StartedNodes {

    private StartedNodes() {}

    public static NodeRuntime start(PaxosLeaseOptions options, NodeEnvironment environment) {
        return NodeRuntime.start(options, environment, NodeInstrumentation.of(NodeAlgorithm.of(options.algorithm())));
    }

    /** This machine, as an application's node has it. */
    public static NodeEnvironment environment(PaxosLeaseOptions options) {
        return new SystemEnvironment(options, SystemEnvironment.securityOf(options));
    }

    static CompletableFuture<HeldLease> acquire(NodeRuntime node, String resource, AcquireOptions how) {
        CompletableFuture<HeldLease> answer = new CompletableFuture<>();
        node.acquire(resource, how, false, null, node.table().nextId(), answer, null);
        return answer;
    }

    static NodeCounts counts() {
        return new NodeCounts(List.of(PaxosMessage.Request.class, PaxosMessage.Answer.class));
    }
}
