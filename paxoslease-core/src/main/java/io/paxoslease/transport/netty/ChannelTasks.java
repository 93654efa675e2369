package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/**
 * The key exchange of one channel, which has one task at a time. When the channel closes, the task that still waits leaves the
 * queue: it would keep all that the handshake has collected, and the turn of another, for nothing.
 */
final class ChannelTasks implements Executor {

    private final ThreadPoolExecutor pool;
    private final Channel channel;
    private volatile @Nullable Runnable waiting;

    ChannelTasks(ThreadPoolExecutor pool, Channel channel) {
        this.pool = pool;
        this.channel = channel;
        channel.closeFuture().addListener(closed -> withdraw());
    }

    /** @throws RejectedExecutionException when too many wait, or the node ends */
    @Override
    public void execute(Runnable task) {
        Runnable one = () -> {
            if (channel.isOpen()) {
                task.run();
            }
        };
        waiting = one;
        pool.execute(one);
        if (!channel.isOpen()) { // it closed meanwhile
            withdraw();
        }
    }

    private void withdraw() {
        Runnable one = waiting;
        if (one != null) {
            pool.remove(one);
            waiting = null;
        }
    }
}
