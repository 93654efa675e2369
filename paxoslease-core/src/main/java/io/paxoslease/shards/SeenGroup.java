package io.paxoslease.shards;

import io.paxoslease.node.LocalNode;
import io.paxoslease.shards.plan.GroupView;
import io.paxoslease.shards.plan.Participant;
import io.paxoslease.watch.LeaseWatch;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What this node sees of a group: two watches (S3). Used by one thread at a time. */
final class SeenGroup implements AutoCloseable {

    /** More are not looked at, whatever a peer writes. */
    private static final int MOST_PARTICIPANTS = 1_024;

    private final String group;
    private final int count;
    private final String seatPrefix;
    private final LeaseWatch shards;
    private final LeaseWatch seats;
    private volatile boolean isChanged = true;

    /** @param onChange called by any thread when there is something new to see; must not block */
    SeenGroup(LocalNode node, String group, int count, Runnable onChange) {
        this.count = count;
        this.group = group;
        this.seatPrefix = ShardNames.participants(group);
        Runnable changed = () -> {
            isChanged = true;
            onChange.run();
        };
        this.shards = node.groups().watch(ShardNames.shards(group), changed);
        try {
            this.seats = node.groups().watch(seatPrefix, changed);
        } catch (RuntimeException | Error refused) {
            shards.close();
            throw refused;
        }
    }

    /** Whether there may be something new to see since this was asked last. */
    boolean takeChanged() {
        boolean changed = isChanged;
        isChanged = false;
        return changed;
    }

    /** Null while no majority of the members tells of each change. */
    @Nullable
    GroupView view() {
        if (!shards.isCurrent() || !seats.isCurrent()) {
            return null;
        }
        @Nullable String[] owners = new String[count];
        BitSet unknown = new BitSet(count);
        shards.leases().forEach((resource, lease) -> {
            int index = ShardNames.index(group, count, resource);
            if (index >= 0) {
                owners[index] = lease.owner(); // while the shard changes hands: the last one that was known
                unknown.set(index, lease.owner() == null);
            }
        });
        return new GroupView(participants(), Arrays.asList(owners), unknown);
    }

    private Map<String, Participant> participants() {
        Map<String, Participant> participants = new TreeMap<>();
        seats.leases().forEach((resource, lease) -> {
            String node = resource.substring(seatPrefix.length());
            Participant note = node.equals(lease.owner()) ? Participant.fromNote(lease.note()) : null;
            if (note != null && participants.size() < MOST_PARTICIPANTS) {
                participants.put(node, note);
            }
        });
        return participants;
    }

    @Override
    public void close() {
        shards.close();
        seats.close();
    }
}
