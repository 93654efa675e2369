package io.paxoslease.samples.shards.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.shards.Shard;
import io.paxoslease.spring.fencing.StaleTokenException;
import io.paxoslease.spring.shards.ShardGroups;
import io.paxoslease.spring.test.AutoConfigureTestLeadership;
import io.paxoslease.spring.test.TestShards;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The whole application, as its developer would test it: one instance, which owns the shards that the test grants, and an H2 in memory. */
@SpringBootTest(
        classes = InstanceApplication.class,
        properties = {"instance=n1", "spring.sql.init.schema-locations=classpath:orders.sql"})
@AutoConfigureTestLeadership
class OrderJobTest {

    @Autowired
    private TestShards shards;

    @Autowired
    private ShardGroups groups;

    @Autowired
    private Orders orders;

    @Autowired
    private JdbcClient jdbc;

    @AfterEach
    void clear() {
        shards.revokeAll("orders");
        for (String table : List.of("shards_sample_orders", "shards_sample_shipments", "paxoslease_fence")) {
            jdbc.sql("delete from " + table).update();
        }
    }

    @Test
    void onlyOrdersOfOwnShardsAreShippedEachOnceAndInOrder() {
        place(2, 3);
        place(1, 3);
        place(4, 7);
        place(3, 5);

        shards.grant("orders", 3, 7);
        await().atMost(30, TimeUnit.SECONDS).until(() -> shipped().size() == 3);
        shards.revoke("orders", 3, 7);
        place(5, 3);

        assertThat(shipped()).containsExactlyInAnyOrder(1L, 2L, 4L).containsSubsequence(1L, 2L);
        assertThat(jdbc.sql("select id from shards_sample_orders where shipped_by is null order by id")
                        .query(Long.class)
                        .list())
                .containsExactly(3L, 5L);
    }

    @Test
    void theLateWriteOfAFormerOwnerIsRefusedAndLeavesNoTrace() {
        shards.grant("orders", 3);
        Shard former = groups.get("orders").shard(3).orElseThrow();
        shards.revoke("orders", 3);
        place(1, 3);
        Order due = orders.due(former).get(0);

        jdbc.sql("update paxoslease_fence set token = token + 1 where resource = 'orders/3'")
                .update();

        assertThatThrownBy(() -> orders.ship(due, former)).isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> orders.due(former)).isInstanceOf(StaleTokenException.class);
        assertThat(shipped()).isEmpty();
    }

    private void place(long order, int shard) {
        jdbc.sql("insert into shards_sample_orders (id, shard, customer, item) values (?, ?, 'customer-1', 'lamp')")
                .params(order, shard)
                .update();
    }

    private List<Long> shipped() {
        return jdbc.sql("select order_id from shards_sample_shipments")
                .query(Long.class)
                .list();
    }
}
