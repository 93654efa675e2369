package io.paxoslease.samples.shards.instance;

import io.paxoslease.shards.Shard;
import io.paxoslease.spring.fencing.JdbcFence;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The orders in the database. Each transaction passes the fence first, which has a row for each shard. */
@Repository
class Orders {

    private static final int BATCH = 20;

    private final JdbcClient jdbc;
    private final JdbcFence fence;
    private final String instance;
    private final boolean fenced;

    /** @param fenced whether to use the fence; without it a former owner's write is not refused */
    Orders(
            JdbcClient jdbc,
            JdbcFence fence,
            @Value("${instance}") String instance,
            @Value("${sample.fenced:true}") boolean fenced) {
        this.jdbc = jdbc;
        this.fence = fence;
        this.instance = instance;
        this.fenced = fenced;
    }

    /** The oldest orders of the shard. No former owner ships one of them from now on: its token is refused. */
    @Transactional
    public List<Order> due(Shard shard) {
        passFence(shard);
        return jdbc.sql(
                        "select id, customer, item from shards_sample_orders where shard = ? and shipped_by is null order by id"
                                + " fetch first " + BATCH + " rows only")
                .param(shard.index())
                .query((row, i) -> new Order(row.getLong(1), row.getString(2), row.getString(3)))
                .list();
    }

    /** Writes what the work has led to, and how far it has come, in one transaction. */
    @Transactional
    public void ship(Order order, Shard shard) {
        passFence(shard);
        jdbc.sql("insert into shards_sample_shipments (order_id, shipped_by, token) values (?, ?, ?)")
                .params(order.id(), instance, shard.fencingToken())
                .update();
        jdbc.sql("update shards_sample_orders set shipped_by = ? where id = ?")
                .params(instance, order.id())
                .update();
    }

    private void passFence(Shard shard) {
        if (fenced) {
            fence.check("orders/" + shard.index(), shard.fencingToken());
        }
    }
}
