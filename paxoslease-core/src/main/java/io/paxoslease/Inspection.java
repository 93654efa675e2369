package io.paxoslease;

import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import io.paxoslease.transport.netty.PeerState;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at one running node, for people. What takes the node's thread is asked for in small steps. */
final class Inspection {

    /** Some microseconds of the node's thread. */
    private static final int STEP = 256;

    private final RunningNode node;
    private final PaxosLeaseOptions options;
    private final Losses losses;

    Inspection(RunningNode node, PaxosLeaseOptions options, Losses losses) {
        this.node = node;
        this.options = options;
        this.losses = losses;
    }

    NodeStatus status(NodeStatus.Clocks clocks) {
        NodeView view = node.view(0);
        long silent = view.quarantineRemainingNanos();
        NodeStatus.Quarantine.Reason reason = node.mayHaveForgotten()
                ? NodeStatus.Quarantine.Reason.CLOCKS_DISAGREED
                : NodeStatus.Quarantine.Reason.STARTED;
        return new NodeStatus(
                options.nodeId(),
                options.cell(),
                view.incarnation().toString(),
                silent > 0 ? NodeStatus.State.QUARANTINED : NodeStatus.State.SERVING,
                silent > 0 ? new NodeStatus.Quarantine(reason, Duration.ofNanos(silent)) : null,
                clocks,
                options.leaseTime(),
                options.maxLeaseTime(),
                peers());
    }

    List<PeerStatus> peers() {
        return node.peers().stream().map(this::toStatus).toList();
    }

    /** Every resource that there is something to say about, in order, once. */
    List<String> resources() {
        List<String> found = new ArrayList<>(losses.resources());
        node.addOwnResources(found);
        for (int place = 0; place >= 0; ) {
            place = node.addRecords(place, STEP, found);
        }
        Collections.sort(found);
        List<String> resources = new ArrayList<>(found.size());
        String last = null;
        for (String resource : found) {
            if (!resource.equals(last)) {
                resources.add(resource);
            }
            last = resource;
        }
        return resources;
    }

    List<LeaseStatus> leases(List<String> resources) {
        List<LeaseStatus> leases = new ArrayList<>(resources.size());
        for (int from = 0; from < resources.size(); from += STEP) {
            List<String> step = resources.subList(from, Math.min(from + STEP, resources.size()));
            List<@Nullable LeaseView> views = node.views(step);
            for (int i = 0; i < step.size(); i++) {
                LeaseStatus lease = toStatus(step.get(i), views.get(i));
                if (lease != null) {
                    leases.add(lease);
                }
            }
        }
        return leases;
    }

    private PeerStatus toStatus(PeerState peer) {
        InetSocketAddress address = options.peers().get(peer.node().name());
        String text = address == null ? "" : address.getHostString() + ":" + address.getPort();
        Duration roundTrip = peer.roundTripNanos() < 0 ? null : Duration.ofNanos(peer.roundTripNanos());
        ConnectionRefusal refusal = peer.refusal() == null
                ? null
                : ConnectionRefusal.valueOf(peer.refusal().name());
        return new PeerStatus(peer.node().name(), text, peer.connected(), peer.problem(), refusal, roundTrip);
    }

    private @Nullable LeaseStatus toStatus(String resource, @Nullable LeaseView view) {
        Reading now = node.clock().read();
        LeaseLoss lastLoss = losses.last(resource, now.moment());
        if (view == null) {
            return lastLoss == null
                    ? null
                    : new LeaseStatus(
                            resource, LeaseStatus.State.LOST, null, null, null, null, null, null, 0, lastLoss);
        }
        boolean held = view.state() == LeaseView.State.HELD || view.state() == LeaseView.State.SUSPECT;
        Moment grantedAt = held ? node.grantedAt(resource, view.token()) : null;
        return new LeaseStatus(
                resource,
                LeaseStatus.State.valueOf(view.state().name()),
                view.owner() == null ? null : view.owner().name(),
                view.owner() == null || held ? null : Duration.ofNanos(view.ageNanos()),
                held ? view.token() : null,
                view.counter() > 0 ? view.counter() : null,
                grantedAt == null ? null : Duration.ofNanos(Math.max(0, grantedAt.nanosUntil(now.moment()))),
                view.remainingNanos() < 0 ? null : Duration.ofNanos(view.remainingNanos()),
                view.renewals(),
                lastLoss);
    }
}
