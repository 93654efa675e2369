package io.paxoslease.node;

import io.paxoslease.NodeAdmin.GivenUp;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/** What an operator gives up: a role and a shard by asking for it, as work may run under them, and any other lease at once. Thread-safe. */
final class GivingUp {

    private final Collection<NodeElection> contests;
    private final GroupSupport groups;
    private final NodeLifecycle lifecycle;

    GivingUp(Collection<NodeElection> contests, GroupSupport groups, NodeLifecycle lifecycle) {
        this.contests = contests;
        this.groups = groups;
        this.lifecycle = lifecycle;
    }

    GivenUp giveUp(String resource) {
        List<NodeElection> roles = contestsOf(resource);
        if (!roles.isEmpty()) { // its lease is released when the candidate has finished, not before
            boolean leads = roles.stream().anyMatch(NodeElection::isLeader);
            roles.forEach(NodeElection::resign);
            return leads ? GivenUp.YIELDED : GivenUp.NOT_HELD;
        }
        if (groups.giveUp(resource)) {
            return GivenUp.YIELDED;
        }
        NodeRuntime node = lifecycle.running();
        return node != null && node.table().revoke(resource) ? GivenUp.RELEASED : GivenUp.NOT_HELD;
    }

    GivenUp giveUp(String resource, String nodeId) {
        List<NodeElection> roles = contestsOf(resource);
        if (!roles.isEmpty()) {
            return roles.stream().anyMatch(role -> role.resignTo(nodeId)) ? GivenUp.YIELDED : GivenUp.NOT_HELD;
        }
        NodeRuntime node = lifecycle.running();
        return node != null && node.table().revoke(resource, nodeId) ? GivenUp.RELEASED : GivenUp.NOT_HELD;
    }

    private List<NodeElection> contestsOf(String resource) {
        Objects.requireNonNull(resource, "resource");
        return contests.stream()
                .filter(contest -> contest.resource().equals(resource))
                .toList();
    }
}
