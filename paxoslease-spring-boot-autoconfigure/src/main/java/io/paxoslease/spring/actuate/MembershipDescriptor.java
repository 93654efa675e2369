package io.paxoslease.spring.actuate;

import io.paxoslease.NodeMode;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.actuate.LeasesDescriptor.Instants;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who decides in a cell whose members or times change, or have changed. */
record MembershipDescriptor(
        int configured,
        int generation,
        MembershipStatus.Mode mode,
        Instant since,
        int sealed,
        List<String> members,
        @Nullable List<String> previousMembers,
        @Nullable List<String> missing,
        @Nullable Instant sealedAt,
        @Nullable String problem) {

    /** Null in a cell that has never changed. */
    static @Nullable MembershipDescriptor of(NodeStatus node) {
        MembershipStatus status = node.membership();
        return status == null || !status.hasChanged() ? null : ofAny(node);
    }

    /** Also in a cell that has never changed; null of a node that has no members. */
    static @Nullable MembershipDescriptor ofAny(NodeStatus node) {
        MembershipStatus status = node.membership();
        if (status == null) {
            return null;
        }
        Duration sealedIn = status.sealedIn();
        return new MembershipDescriptor(
                status.configured(),
                status.generation(),
                status.mode(),
                Instants.before(status.since()),
                status.sealed(),
                status.members(),
                status.previousMembers().isEmpty() ? null : status.previousMembers(),
                status.mode() == MembershipStatus.Mode.SEALED ? null : status.missing(),
                sealedIn == null ? null : Instants.in(sealedIn),
                node.mode() == NodeMode.CLIENT ? null : status.problem());
    }

    /** What health shows of it. */
    Map<String, Object> toDetails() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("generation", generation);
        details.put("mode", mode);
        details.put("since", since);
        if (missing != null) {
            details.put("missing", missing);
        }
        if (sealedAt != null) {
            details.put("sealedAt", sealedAt);
        }
        if (problem != null) {
            details.put("problem", problem);
        }
        return details;
    }
}
