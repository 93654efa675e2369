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

/**
 * Who decides in a cell whose members or times change, or have changed.
 *
 * @param configured the generation that this node is configured with
 * @param generation the generation that decides the requests of this node
 * @param mode which members decide: {@code JOINT}, a majority of the previous ones and one of the members, or
 *     {@code SEALED}, a majority of the members
 * @param since since when
 * @param sealed the highest generation that this node knows to be sealed
 * @param members the members of the generation
 * @param previousMembers the members before; left out if there are none
 * @param missing the previous members that are not known to run the generation, without a majority of which it is not
 *     sealed; left out once it is
 * @param sealedAt when it can be sealed at the earliest; left out if too many are missing, and once it is sealed
 * @param problem what to configure if the generation of this member is over; left out if it is not
 */
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
