package io.paxoslease.node;

import io.paxoslease.NodeMode;
import io.paxoslease.monitor.AwaitedVote;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.transport.netty.PeerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the {@link AwaitedVote} of a node. */
final class AwaitedVotes {

    private static final Comparator<AwaitedVote> SOONEST = Comparator.comparing(AwaitedVote::within);

    private AwaitedVotes() {}

    /**
     * A member that starts does not say that it is silent: it is taken to be silent for a whole quarantine from when its process was met.
     *
     * @param peers the other members
     * @param quarantineNanos how long a member is silent after its start
     * @return empty if the others need no vote of this node, or waiting gives them no majority
     */
    static Optional<AwaitedVote> of(NodeStatus status, List<PeerState> peers, long quarantineNanos) {
        if (status.state() != NodeStatus.State.SERVING || status.mode() == NodeMode.CLIENT) {
            return Optional.empty();
        }
        List<AwaitedVote> connected = peers.stream()
                .filter(PeerState::connected)
                .map(peer -> of(peer, quarantineNanos))
                .sorted(SOONEST)
                .toList();
        List<AwaitedVote> last = new ArrayList<>();
        for (List<String> list : decidingLists(status, peers)) {
            List<AwaitedVote> others = connected.stream()
                    .filter(vote -> list.contains(vote.member()))
                    .toList();
            int majority = list.size() / 2 + 1;
            if (list.contains(status.nodeId()) && others.size() < majority) {
                return Optional.empty();
            }
            if (list.contains(status.nodeId())) {
                last.add(others.get(majority - 1));
            }
        }
        return last.stream().max(SOONEST).filter(vote -> !vote.within().isZero());
    }

    private static AwaitedVote of(PeerState peer, long quarantineNanos) {
        return new AwaitedVote(peer.node().name(), Duration.ofNanos(Math.max(0, quarantineNanos - peer.knownNanos())));
    }

    /** A majority of each decides: while members change, of the members before as well. */
    private static List<List<String>> decidingLists(NodeStatus status, List<PeerState> peers) {
        MembershipStatus membership = status.membership();
        if (membership == null) {
            List<String> all = new ArrayList<>(List.of(status.nodeId()));
            peers.forEach(peer -> all.add(peer.node().name()));
            return List.of(all);
        }
        return membership.mode() == MembershipStatus.Mode.SEALED
                ? List.of(membership.members())
                : List.of(membership.members(), membership.previousMembers());
    }
}
