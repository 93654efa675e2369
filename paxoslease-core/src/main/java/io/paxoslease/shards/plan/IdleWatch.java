package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Notices participants that do not claim free shards which the observer's plan gives them (S5). */
final class IdleWatch {

    private final @Nullable String[] claimants;
    private final @Nullable Moment[] since;

    IdleWatch(int count) {
        this.claimants = new String[count];
        this.since = new Moment[count];
    }

    /** That shard is free and should be claimed by that node; null if it has an owner, or may not be claimed yet. */
    void expect(int shard, @Nullable String claimant, Moment now) {
        if (!Objects.equals(claimants[shard], claimant)) {
            claimants[shard] = claimant;
            since[shard] = now;
        }
    }

    /** The nodes other than the observer that have not claimed a shard in time, and have not become the owner of any meanwhile. */
    Set<String> idle(String self, Roster roster, Outlook outlook) {
        Set<String> idle = new HashSet<>();
        for (int shard = 0; shard < claimants.length; shard++) {
            String claimant = claimants[shard];
            if (claimant != null
                    && !claimant.equals(self)
                    && outlook.hasPassed(
                            GroupSettings.IDLE,
                            Moment.later(Objects.requireNonNull(since[shard]), roster.actedAt(claimant)))) {
                idle.add(claimant);
            }
        }
        return idle;
    }
}
