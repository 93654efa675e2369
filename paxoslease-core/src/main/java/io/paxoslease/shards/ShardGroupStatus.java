package io.paxoslease.shards;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A group as one instance sees it. Advice: only {@link Shard#isOwned()} says that this instance owns a shard. Immutable.
 *
 * @param group its name
 * @param count the number of its shards
 * @param state where this instance stands
 * @param current whether a majority of the members tells of each change; if not, the rest grows old
 * @param conflict why this instance takes no part although it was started; null when it does
 * @param participants what the instances tell of themselves, by node id
 * @param shards each shard, by index
 */
public record ShardGroupStatus(
        String group,
        int count,
        State state,
        boolean current,
        @Nullable String conflict,
        Map<String, ParticipantStatus> participants,
        List<ShardStatus> shards) {

    /** Where an instance stands in a group. */
    public enum State {
        /** It has not been started, or has left. */
        STOPPED,
        /** It has started, and does not see the group yet. */
        JOINING,
        /** It owns its share. */
        ACTIVE,
        /** Its health is bad: it gives its shards up and gets none. */
        STANDBY,
        /** It stops: it gives its shards up. */
        LEAVING,
        /** The group has another number of shards elsewhere: it takes no part. */
        REFUSED
    }

    /**
     * What an instance tells of itself.
     *
     * @param state where it stands
     * @param age how long it had run when it last told so, by its own clock
     * @param revision what it runs
     * @param maxOwned how many shards it owns at most
     */
    public record ParticipantStatus(State state, Duration age, String revision, int maxOwned) {}

    /**
     * One shard.
     *
     * @param index which one
     * @param owner the node that owns it; null when it is free, or its owner is not known
     * @param free whether a majority of the members says that it has no owner
     * @param target the node that should own it; null when there is none, or it is not known
     * @param reason why it is where it is, in words
     */
    public record ShardStatus(
            int index,
            @Nullable String owner,
            boolean free,
            @Nullable String target,
            String reason) {}

    /** How many shards are known to have no owner. */
    public long free() {
        return shards.stream().filter(ShardStatus::free).count();
    }

    /** How many shards that instance owns. */
    public long ownedBy(String nodeId) {
        return shards.stream().filter(shard -> nodeId.equals(shard.owner())).count();
    }
}
