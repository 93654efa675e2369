package io.paxoslease.node;

import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a machine knows of the members that decide, for people. */
final class MembershipReport {

    private MembershipReport() {}

    /** Null of an algorithm whose members do not change. */
    static @Nullable MembershipStatus of(NodeView.@Nullable Membership view) {
        if (view == null) {
            return null;
        }
        MemberList previous = view.generation().previous();
        return new MembershipStatus(
                view.configured(),
                view.generation().number(),
                view.isJoint() ? MembershipStatus.Mode.JOINT : MembershipStatus.Mode.SEALED,
                view.sealed(),
                names(view.generation().current().members()),
                previous == null ? List.of() : names(previous.members()),
                names(view.missing()),
                view.sealedInNanos() < 0 ? null : Duration.ofNanos(view.sealedInNanos()),
                Duration.ofNanos(view.sinceNanos()));
    }

    private static List<String> names(List<NodeId> nodes) {
        return nodes.stream().map(NodeId::name).toList();
    }

    /** Whether the acceptor is silent because its generation is over. */
    static boolean silences(NodeView view) {
        NodeView.Membership membership = view.membership();
        return membership != null && membership.silences();
    }
}
