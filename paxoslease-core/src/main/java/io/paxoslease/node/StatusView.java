package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.AwaitedVote;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a node says of itself, whether it runs, joins or is stopped. Any thread. */
final class StatusView {

    private final PaxosLeaseOptions options;
    private final NodeLifecycle lifecycle;
    private final NodeInstrumentation instruments;

    StatusView(PaxosLeaseOptions options, NodeLifecycle lifecycle, NodeInstrumentation instruments) {
        this.options = options;
        this.lifecycle = lifecycle;
        this.instruments = instruments;
    }

    NodeStatus node() {
        NodeRuntime node = lifecycle.running();
        Inspection inspection = inspection(node);
        long disagreements = instruments.counts().clockDisagreements();
        if (inspection == null) {
            return Inspection.statusOf(options, lifecycle.stateOf(node), disagreements, peers());
        }
        return inspection.status(disagreements);
    }

    /** Empty while it does not run. */
    Optional<AwaitedVote> awaitedVote() {
        Inspection inspection = inspection(lifecycle.running());
        return inspection == null
                ? Optional.empty()
                : inspection.awaitedVote(inspection.status(instruments.counts().clockDisagreements()));
    }

    List<String> resources() {
        Inspection inspection = inspection(lifecycle.running());
        return inspection == null ? List.of() : inspection.resources();
    }

    List<LeaseStatus> leases(List<String> resources) {
        Inspection inspection = inspection(lifecycle.running());
        return inspection == null ? List.of() : inspection.leases(List.copyOf(resources));
    }

    private Inspection inspect(NodeRuntime node) {
        return new Inspection(node, lifecycle.options(), instruments.losses());
    }

    /** Null when there is nothing to look at: the node is not running, or has failed. */
    private @Nullable Inspection inspection(@Nullable NodeRuntime node) {
        return node == null || node.hasFailed() ? null : inspect(node);
    }

    List<PeerStatus> peers() {
        ClientBootstrap asking = lifecycle.joining();
        NodeRuntime node = lifecycle.running();
        if (asking != null) {
            return asking.contacts();
        }
        return node == null ? List.of() : inspect(node).peers();
    }

    Optional<ClientCounts> clients() {
        return Optional.ofNullable(lifecycle.running())
                .map(node -> node.environment().clients());
    }
}
