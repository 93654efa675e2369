package io.paxoslease.samples.shards.instance;

import io.paxoslease.samples.shards.Report.Kind;
import io.paxoslease.shards.Shard;
import io.paxoslease.spring.fencing.StaleTokenException;
import io.paxoslease.spring.shards.OnShard;
import io.paxoslease.spring.shards.OnShardGranted;
import io.paxoslease.spring.shards.OnShardRevoked;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** Ships the orders of each shard that this instance owns, one after the other, on the shard's thread. */
@Component
class OrderJob {

    private static final long PACKING_MILLIS = 20;

    private final Orders orders;
    private final Launcher launcher;

    OrderJob(Orders orders, Launcher launcher) {
        this.orders = orders;
        this.launcher = launcher;
    }

    @OnShardGranted("orders")
    void granted(Shard shard) {
        launcher.report(Kind.GRANTED, shard, 0, 0);
    }

    @OnShard(value = "orders", fixedDelay = "100ms")
    void ship(Shard shard) throws InterruptedException {
        for (Order order : orders.due(shard)) {
            if (!shard.isOwned()) {
                return;
            }
            pack(order);
            try {
                orders.ship(order, shard); // the process may have been paused since the question who owns the shard
            } catch (StaleTokenException stale) {
                launcher.report(Kind.REFUSED, shard, order.id(), stale.latestToken());
                return;
            }
        }
    }

    /** Stands for work that takes a while. It ends early when the shard has to move. */
    private static void pack(Order order) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(PACKING_MILLIS + order.item().length());
    }

    @OnShardRevoked("orders")
    void revoked(Shard shard) {
        launcher.report(Kind.REVOKED, shard, 0, 0);
    }
}
