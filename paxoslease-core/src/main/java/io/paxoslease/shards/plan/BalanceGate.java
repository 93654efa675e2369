package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import io.paxoslease.shards.plan.Reason.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** When balance may move shards, and between which participants (S6). */
final class BalanceGate {

    private final GroupSettings settings;
    private final Roster roster;

    /** Since when only young participants have held up moves among the others. */
    private @Nullable Moment heldUpSince;

    BalanceGate(GroupSettings settings, Roster roster) {
        this.settings = settings;
        this.roster = roster;
    }

    /** Of these participants, those that give and receive: they have run for the settle time. */
    List<String> partners(List<String> candidates, Outlook outlook) {
        return candidates.stream().filter(node -> isSettled(node, outlook)).toList();
    }

    private boolean isSettled(String node, Outlook outlook) {
        return outlook.hasPassed(settings.settleTime(), roster.startedBy(node));
    }

    /**
     * What keeps balance from moving anything now.
     *
     * @param candidates the active participants that act
     * @param hasMoves whether the plan for the settled ones moves a shard
     * @return null if nothing does
     */
    @Nullable
    Reason closed(List<String> candidates, boolean hasMoves, Outlook outlook) {
        Optional<String> youngest = candidates.stream()
                .filter(node -> !isSettled(node, outlook))
                .max(Comparator.comparingLong(node -> outlook.now.nanosUntil(roster.startedBy(node))));
        if (youngest.isEmpty() || !hasMoves) {
            heldUpSince = null;
        } else if (heldUpSince == null) {
            heldUpSince = outlook.now;
        }
        Moment changedAt = Objects.requireNonNull(roster.changedAt());
        if (!outlook.hasPassed(GroupSettings.STEADY, changedAt)) {
            return new Reason(Kind.PARTICIPANTS_CHANGE, null, outlook.remaining(GroupSettings.STEADY, changedAt));
        }
        boolean differ = candidates.stream()
                        .map(node -> roster.note(node).revision())
                        .distinct()
                        .count()
                > 1;
        if (differ && !outlook.hasPassed(GroupSettings.REVISIONS_HOLD_UP, changedAt)) {
            return new Reason(
                    Kind.REVISIONS_DIFFER, null, outlook.remaining(GroupSettings.REVISIONS_HOLD_UP, changedAt));
        }
        if (youngest.isPresent()
                && (heldUpSince == null || !outlook.hasPassed(GroupSettings.YOUNG_HOLD_UP, heldUpSince))) {
            String node = youngest.get();
            return new Reason(Kind.SETTLING, node, outlook.remaining(settings.settleTime(), roster.startedBy(node)));
        }
        return null;
    }
}
