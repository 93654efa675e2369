package io.paxoslease.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.plan.GroupSettings;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** What an operator has to know of the shards of one instance: each thing is told once, and again only after it has ended. */
final class GroupWarnings {

    private final GroupSettings settings;
    private BitSet unplaced = new BitSet();
    private BitSet notGranted = new BitSet();
    private BitSet overdue = new BitSet();
    private BitSet waiting = new BitSet();

    GroupWarnings(GroupSettings settings) {
        this.settings = settings;
    }

    /**
     * What is new.
     *
     * @param unplacedNow shards without an owner for which no active instance has room
     * @param notGrantedNow shards that this instance requests, and is not granted
     * @param overdueNow shards whose work was to end, and has not within the time for a hand-over
     * @param waitingNow shards that are owned, while work under an earlier lease still runs
     */
    List<String> news(BitSet unplacedNow, BitSet notGrantedNow, BitSet overdueNow, BitSet waitingNow) {
        List<String> news = new ArrayList<>();
        if (unplaced.isEmpty() && !unplacedNow.isEmpty()) {
            news.add(
                    "%d of %d shards of group '%s' have no owner: no active instance has room within its max-owned. Raise it, or start more instances"
                            .formatted(unplacedNow.cardinality(), settings.count(), group()));
        }
        if (notGranted.isEmpty() && !notGrantedNow.isEmpty()) {
            news.add(
                    "%d of %d shards of group '%s' are requested by this instance and not granted: the members may have no memory for more leases of it. Give them more heap, or lower max-owned"
                            .formatted(notGrantedNow.cardinality(), settings.count(), group()));
        }
        fresh(overdueNow, overdue)
                .forEach(shard -> news.add(
                        "The work on shard %d of group '%s' has not ended in %d ms: this instance keeps the shard until it has. Let work end when its thread is interrupted"
                                .formatted(
                                        shard,
                                        group(),
                                        settings.handOverTimeout().toMillis())));
        fresh(waitingNow, waiting)
                .forEach(shard -> news.add(
                        "This instance owns shard %d of group '%s' again, and does not work on it: the work under the lease that was lost has not ended"
                                .formatted(shard, group())));
        unplaced = unplacedNow;
        notGranted = notGrantedNow;
        overdue = overdueNow;
        waiting = waitingNow;
        return news;
    }

    private String group() {
        return Printable.name(settings.group());
    }

    private static List<Integer> fresh(BitSet now, BitSet before) {
        return now.stream().filter(shard -> !before.get(shard)).boxed().toList();
    }
}
