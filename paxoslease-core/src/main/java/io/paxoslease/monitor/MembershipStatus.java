package io.paxoslease.monitor;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who decides in the cell, as far as one node knows, while its members or its times change.
 *
 * @param configured the generation that this node was started with, or has moved to since
 * @param generation the one that decides what this node asks for; above {@code configured} once this node has heard of the next one
 * @param mode which members decide
 * @param sealed the highest generation that this node knows to be sealed; zero: none, as it has restarted since
 * @param members the members of {@code generation}
 * @param previousMembers the members before it; empty: it follows none
 * @param missing which of the previous members are not known to run {@code generation}; empty once it is sealed
 * @param sealedIn when it can be sealed at the earliest, if no member restarts until then; null while too many are missing, and once it is
 *     sealed
 * @param since how long the mode has lasted at this node
 */
public record MembershipStatus(
        int configured,
        int generation,
        Mode mode,
        int sealed,
        List<String> members,
        List<String> previousMembers,
        List<String> missing,
        @Nullable Duration sealedIn,
        Duration since) {

    /** Which members decide. */
    public enum Mode {
        /** A change is under way: a majority of the previous members and one of the members. */
        JOINT,
        /** A majority of the members. */
        SEALED
    }

    public MembershipStatus {
        members = List.copyOf(members);
        previousMembers = List.copyOf(previousMembers);
        missing = List.copyOf(missing);
    }

    /** Whether the members have changed since this node's configuration was written, and the change is sealed. */
    public boolean isOver() {
        return sealed > configured;
    }

    /**
     * The members that the cell has agreed on, or that the configuration or the store of this node lists. Those of a change that this node has only
     * heard of are not among them: any node can make one up.
     */
    public List<String> confirmedMembers() {
        if (mode == Mode.SEALED) {
            return members;
        }
        return generation > configured
                ? previousMembers
                : Stream.concat(members.stream(), previousMembers.stream())
                        .distinct()
                        .toList();
    }

    /** Whether there is more to say than that the cell has always had these members. */
    public boolean hasChanged() {
        return generation > 1;
    }

    /** What to configure, if the configuration of this node has ended; else null. */
    public @Nullable String problem() {
        if (!isOver()) {
            return null;
        }
        String previous =
                previousMembers.isEmpty() ? "no previous peers" : "previousPeers %s".formatted(previousMembers);
        return "generation %d of the cell is sealed, and this node was started with generation %d: configure generation %d with peers %s and %s, with the addresses and times of the other nodes"
                .formatted(sealed, configured, generation, members, previous);
    }
}
