package io.paxoslease.shards;

/**
 * What has happened in a group since it was made, as one instance has seen it.
 *
 * @param granted how many leases of shards this instance was granted
 * @param released how many it has released, after the work under them had ended
 * @param lost how many it has lost
 * @param failed how often its work on a shard has failed
 * @param overrun how many guarded calls have ended later than the lease that they ran under
 * @param unownedNanos for how long shards have had no owner, in nanoseconds, added up over all shards of the group
 */
public record ShardGroupCounts(long granted, long released, long lost, long failed, long overrun, long unownedNanos) {}
