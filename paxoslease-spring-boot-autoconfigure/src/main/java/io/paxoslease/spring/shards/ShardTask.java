package io.paxoslease.spring.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One {@link OnShard} method: works on a shard until that ends. Thread-safe. */
final class ShardTask {

    private static final Logger log = LoggerFactory.getLogger(OnShard.class);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final ShardMethod method;
    private final @Nullable Duration delay;
    private final LongAdder failed = new LongAdder();
    private final AtomicBoolean hasReturned = new AtomicBoolean();

    /** @param delay from the end of a call to the next one, positive; null: there is one call only */
    ShardTask(ShardMethod method, @Nullable Duration delay) {
        this.method = method;
        this.delay = delay;
    }

    /** How many calls with a delay have failed. */
    long failedCalls() {
        return failed.sum();
    }

    /**
     * On a thread of the shard, which is interrupted when the work must end.
     *
     * @throws Exception the work has failed, or has ended by the interrupt
     */
    void run(ShardGroup group, Shard shard) throws Exception {
        if (delay != null) {
            repeat(group, shard, delay);
            return;
        }
        method.call(shard);
        if (shard.isOwned() && hasReturned.compareAndSet(false, true)) {
            log.warn(
                    "The @OnShard method {} returned although this instance owns shard {} of group '{}'. It is called again only after the next"
                            + " grant of a shard. Loop until the thread is interrupted, or set fixedDelay",
                    method,
                    shard.index(),
                    Printable.name(shard.group()));
        }
    }

    /** The interrupt comes after the end of the ownership. So a call that swallows it is still the last one. */
    private void repeat(ShardGroup group, Shard shard, Duration usual) throws InterruptedException {
        Duration pause = usual;
        boolean isFailing = false;
        while (shard.isOwned()) {
            Throwable failure = failureOf(group, shard);
            if (failure == null) {
                pause = usual;
            } else if (shard.isOwned()) {
                pause = isFailing ? longer(pause, usual) : usual;
                failed.increment();
                log.error(
                        "The @OnShard method {} failed for shard {} of group '{}'. The next call is in {} ms",
                        method,
                        shard.index(),
                        Printable.name(shard.group()),
                        pause.toMillis(),
                        failure);
            }
            isFailing = failure != null;
            if (!shard.isOwned()) {
                return; // the call may have swallowed the interrupt
            }
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
    }

    /** Of a call that is observed like one of the application's own. Null: it has returned, or the shard is not owned any more. */
    private @Nullable Throwable failureOf(ShardGroup group, Shard shard) {
        try {
            group.callIfOwned(shard.index(), () -> {
                method.call(shard);
                return true;
            });
            return null;
        } catch (Exception | Error e) { // user code, which may throw undeclared
            return e;
        }
    }

    static Duration longer(Duration pause, Duration usual) {
        Duration most = usual.compareTo(LONGEST_PAUSE) > 0 ? usual : LONGEST_PAUSE;
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(most) > 0 ? most : doubled;
    }
}
