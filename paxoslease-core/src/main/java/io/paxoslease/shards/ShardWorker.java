package io.paxoslease.shards;

/**
 * Works on the shards that an instance owns. The calls for one shard are serial: granted, at work, revoked, granted, and so on, also over
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
    void work(Shard shard) throws Exception;

    /**
     * Called before {@link #work}, on the same thread, which is interrupted in the same way: opens what the work needs. Observed, unlike the
     * work, which may last for as long as the shard is owned. If it throws, the work has failed, and {@link #onRevoked} is called.
     *
     * @throws Exception as of {@link #work}
     */
    default void onGranted(Shard shard) throws Exception {}

    /**
     * The work on the shard is over: {@link Shard#isOwned()} was false before this call. Unless the lease was lost, it is
     * released only after this method has returned, and after the calls that {@link ShardGroup#enter} guards have ended (S7).
     */
    default void onRevoked(Shard shard) {}
}
