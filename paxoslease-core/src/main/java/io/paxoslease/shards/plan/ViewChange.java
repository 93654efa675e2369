package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import io.paxoslease.shards.plan.Participant.State;
import java.util.HashMap;
import java.util.Map;

/** What two successive views tell of the participants between them. */
record ViewChange(GroupView before, GroupView after) {

    /**
     * A participant that lost half of its shards at once, and did not say that it leaves, has probably ended: they are for other ones at once
     * (S5). One that lost fewer has given them up.
     */
    void leaveOutLosers(String self, Roster roster, Moment now) {
        Map<String, Integer> lost = new HashMap<>();
        Map<String, Integer> kept = new HashMap<>();
        for (int shard = 0; shard < after.count(); shard++) {
            String owner = before.owner(shard);
            if (owner != null && !owner.equals(self)) {
                boolean isFree = after.knows(shard) && after.owner(shard) == null;
                (isFree ? lost : kept).merge(owner, 1, Integer::sum);
            }
        }
        lost.forEach((owner, count) -> {
            if (isActiveSince(owner) && count >= kept.getOrDefault(owner, 0)) {
                roster.leaveOut(owner, now);
            }
        });
    }

    /** Whether it is active, and was there before. */
    private boolean isActiveSince(String node) {
        Participant note = after.participants().get(node);
        Participant earlier = before.participants().get(node);
        return note != null && note.state() == State.ACTIVE && earlier != null && earlier.boot() == note.boot();
    }

    /** Who became the owner of a shard acts. */
    void noteGains(Roster roster, Moment now) {
        for (int shard = 0; shard < after.count(); shard++) {
            String owner = after.owner(shard);
            if (owner != null && !owner.equals(before.owner(shard))) {
                roster.acted(owner, now);
            }
        }
    }
}
