package io.paxoslease.spring.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.shards.Shard;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.autoconfigure.TestCell;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Three applications of one cell, over loopback, that share the shards of a group. */
@Tag("slow")
@Timeout(120)
class ShardHandOverTest {

    private static final int COUNT = 6;

    private final TestCell cell = new TestCell(3);
    private final Owners owners = new Owners();
    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(ConfigurableApplicationContext::close);
    }

    @Test
    void anInstanceThatStopsHandsItsShardsOverWithoutAnOverlap() {
        cell.nodes().forEach(node -> nodes.add(start(node)));
        await().until(() -> owned().equals(List.of(2, 2, 2)) && owners.count() == COUNT);
        ConfigurableApplicationContext first = nodes.get(0);
        ShardGroups groups = first.getBean(ShardGroups.class);
        first.close();
        assertThat(groups.get("invoices").counts().released()).isEqualTo(2);
        nodes.remove(0);
        await().untilAsserted(() ->
                assertThat(owners.count()).as("seen by %s", seen()).isEqualTo(COUNT));
        assertThat(owned().stream().mapToInt(each -> each).sum()).isEqualTo(COUNT);
        assertThat(owners.overlaps).isEmpty();
    }

    private List<Integer> owned() {
        return nodes.stream()
                .map(node -> node.getBean(ShardGroups.class)
                        .get("invoices")
                        .ownedIndexes()
                        .size())
                .toList();
    }

    /** For the message of a failure. */
    private List<String> seen() {
        return nodes.stream()
                .map(node -> node.getBean(ShardGroups.class).get("invoices"))
                .map(group -> "%s %s".formatted(group.ownedIndexes(), group.status()))
                .toList();
    }

    private ConfigurableApplicationContext start(String node) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .initializers(context -> context.getBeanFactory().registerSingleton("owners", owners))
                .properties(cell.propertiesOf(node))
                .properties(
                        "spring.main.banner-mode=off",
                        "paxoslease.shards.invoices.count=" + COUNT,
                        "paxoslease.shards.invoices.start-wait=1m",
                        "paxoslease.shards.invoices.expected-instances=3")
                .run();
    }

    /** Who works on each shard. */
    static final class Owners {

        private final AtomicReferenceArray<@Nullable String> nodes = new AtomicReferenceArray<>(COUNT);
        final Queue<String> overlaps = new ConcurrentLinkedQueue<>();

        void begin(String node, int shard) {
            String before = nodes.getAndSet(shard, node);
            if (before != null) {
                overlaps.add("%s while %s works on %d".formatted(node, before, shard));
            }
        }

        void end(String node, int shard) {
            if (!nodes.compareAndSet(shard, node, null)) {
                overlaps.add("%s has lost %d".formatted(node, shard));
            }
        }

        int count() {
            int count = 0;
            for (int shard = 0; shard < COUNT; shard++) {
                count += nodes.get(shard) == null ? 0 : 1;
            }
            return count;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PaxosLeaseTestSupport.All.class)
    static class Application {

        @Bean
        Work work(Owners owners, @Value("${paxoslease.node-id}") String node) {
            return new Work(owners, node);
        }
    }

    record Work(Owners owners, String node) {

        @OnShard("invoices")
        void work(Shard shard) throws InterruptedException {
            owners.begin(node, shard.index());
            try {
                new CountDownLatch(1).await();
            } finally {
                owners.end(node, shard.index());
            }
        }
    }
}
