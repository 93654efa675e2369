package io.paxoslease.shards.plan;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one instance sees of a group at one time (S3): who participates, and who owns which shard. Immutable. A view for which no majority
 * of the members answers is no view: {@link Participation#stalled} tells that.
 */
public final class GroupView {

    private final Map<String, Participant> participants;
    private final @Nullable String[] owners;
    private final BitSet unknown;

    /**
     * @param participants by node id
     * @param owners the node that owns each shard; null if a majority says that none does
     * @param unknown the shards about which no majority agrees: they are neither claimed nor moved
     */
    public GroupView(Map<String, Participant> participants, List<@Nullable String> owners, BitSet unknown) {
        this.participants = Collections.unmodifiableMap(new TreeMap<>(participants));
        this.owners = owners.toArray(new String[0]);
        this.unknown = (BitSet) unknown.clone();
    }

    /** How many shards it tells of. */
    int count() {
        return owners.length;
    }

    /** By node id, in order. Unmodifiable. */
    public Map<String, Participant> participants() {
        return participants;
    }

    /** The node that owns a shard; null if none does, if it is not known, or if the view has no such shard. */
    @Nullable
    public String owner(int shard) {
        return shard < owners.length && !unknown.get(shard) ? owners[shard] : null;
    }

    /** Whether the view tells who owns that shard, or that none does. */
    public boolean knows(int shard) {
        return shard < owners.length && !unknown.get(shard);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GroupView view
                && participants.equals(view.participants)
                && Arrays.equals(owners, view.owners)
                && unknown.equals(view.unknown);
    }

    @Override
    public int hashCode() {
        return participants.hashCode() * 31 + Arrays.hashCode(owners);
    }

    @Override
    public String toString() {
        return participants + " " + Arrays.toString(owners);
    }
}
