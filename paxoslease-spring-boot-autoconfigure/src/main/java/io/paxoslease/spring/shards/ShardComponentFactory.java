package io.paxoslease.spring.shards;

import io.paxoslease.shards.Shard;

/**
 * A bean that opens a component for each shard that this instance owns, such as a consumer or a poller. Components are opened in the order of the
 * factories before {@link OnShardGranted} methods, and closed in reverse order after {@link OnShardRevoked} methods. Both happen on the thread of the
 * shard, and this instance releases the shard only after its components have closed.
 *
 * @param <T> the type of the component
 */
public interface ShardComponentFactory<T extends AutoCloseable> {

    /** The name of the group, which {@code paxoslease.shards.<group>.count} defines. Called once, while the application starts. */
    String group();

    /**
     * Opens the component of a shard. It should work on its own threads, and must have stopped its work when its {@code close()} returns. A failure of
     * {@code close()} is logged.
     *
     * @throws Exception the work on the shard has failed; it starts again after a while
     */
    T open(Shard shard) throws Exception;
}
