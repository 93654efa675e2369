package io.paxoslease.shards;

/**
 * Works on the shards that an instance owns. The calls for one shard are serial and alternate: granted, revoked, granted, and so on, also over
 * the loss of a lease. Those of different shards are on different threads. No call delays the renewal of a lease.
 */
@FunctionalInterface
public interface ShardWorker {

    /**
     * This instance owns the shard. The method may return at once, or block and work; when the work is to end while it runs, its thread
     * is interrupted. {@link Shard#current()} is that shard. If it throws, the work starts again after a second, then two, and so on up to a minute;
     * the shard stays here meanwhile (S10).
     *
     * @throws Exception the work has failed; {@link InterruptedException} when interrupted because the work is to end
     */
    void onGranted(Shard shard) throws Exception;

    /**
     * The work on the shard is over: {@link Shard#isOwned()} was false before this call. Unless the lease was lost, it is
     * released only after this method has returned, and after the calls that {@link ShardGroup#enter} guards have ended (S7).
     */
    default void onRevoked(Shard shard) {}
}
