package io.paxoslease.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Groups over production nodes, in simulated time, without a worker: what is owned where. */
class ShardGroupTest {

    private static final Duration STARTED = Duration.ofSeconds(4);
    private static final Duration SOON = Duration.ofMillis(500);
    private static final Duration SETTLED = Duration.ofSeconds(75);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final Map<String, ShardGroup> groups = new HashMap<>();

    @AfterEach
    void close() {
        cell.close();
    }

    private ShardGroup start(String node, int count) {
        ShardGroup group =
                ShardGroup.builder(cell.node(node), "invoices", count).build();
        groups.put(node, group);
        group.start();
        return group;
    }

    private ShardGroup group(String node) {
        return Objects.requireNonNull(groups.get(node), node);
    }

    private void startAll(int count, String... nodes) {
        for (String node : nodes) {
            start(node, count);
        }
        cell.advance(STARTED);
    }

    private List<Integer> loads() {
        return groups.values().stream()
                .map(each -> each.ownedIndexes().size())
                .sorted()
                .toList();
    }

    private void assertEachOwnedOnce(int count) {
        IntStream.range(0, count)
                .forEach(index -> assertThat(groups.values().stream().filter(each -> each.owns(index)))
                        .as("owners of shard %d", index)
                        .hasSize(1));
    }

    @Test
    void eachShardIsOwnedByOneInstanceAndTheyShareEvenly() {
        startAll(32, "a", "b", "c");
        assertEachOwnedOnce(32);
        assertThat(loads()).containsExactly(10, 11, 11);
        ShardGroupStatus status = group("a").status();
        assertThat(status.state()).isEqualTo(ShardGroupStatus.State.ACTIVE);
        assertThat(status.current()).isTrue();
        assertThat(status.participants()).containsOnlyKeys("a", "b", "c");
        assertThat(status.ownedBy("b")).isEqualTo(group("b").owned().size());
        assertThat(status.shards()).allSatisfy(shard -> assertThat(group("c").ownerOf(shard.index()))
                .contains(shard.owner()));
        assertThat(groups.values().stream()
                        .mapToLong(each -> each.counts().granted())
                        .sum())
                .isEqualTo(32);
    }

    @Test
    void anInstanceThatLeavesHandsItsShardsOver() {
        startAll(32, "a", "b", "c");
        group("a").stop(Duration.ZERO);
        groups.remove("a");
        cell.advance(SOON);
        assertEachOwnedOnce(32);
        assertThat(loads()).containsExactly(16, 16);
    }

    @Test
    void afterACrashTheOthersOwnItsShardsWithinTheLeaseTime() {
        startAll(32, "a", "b", "c");
        cell.crash("a");
        groups.remove("a");
        cell.advance(cell.node("b").monitor().options().leaseTime().plusMillis(600));
        assertEachOwnedOnce(32);
        assertThat(loads()).containsExactly(16, 16);
    }

    @Test
    void anInstanceThatComesGetsItsShareWhenItHasRunForAMinute() {
        startAll(32, "a", "b");
        start("c", 32);
        cell.advance(Duration.ofSeconds(30));
        assertThat(group("c").owned()).isEmpty();
        cell.advance(SETTLED);
        assertEachOwnedOnce(32);
        assertThat(loads()).containsExactly(10, 11, 11);
    }

    /** The group may look when the first ones are lost, and then again. */
    @Test
    void whatIsLostTogetherIsNotOneLineForEachShard() {
        startAll(32, "a");
        try (LogCapture log = LogCapture.of(ShardGroup.class)) {
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(10));
            assertThat(group("a").counts().lost()).isEqualTo(32);
            assertThat(log.warnings("of group 'invoices' (EXPIRED): ["))
                    .isNotEmpty()
                    .hasSizeLessThan(32);
        }
    }

    @Test
    void leasesThatAreLostOneByOneComeBack() {
        startAll(32, "a");
        cell.denyRequests("a", resource -> resource.matches("shard:.*[369]"));
        cell.advance(Duration.ofSeconds(5));
        assertThat(group("a").counts().lost()).isEqualTo(9);
        assertThat(group("a").ownedIndexes()).hasSize(23).doesNotContain(3, 16, 29);
        cell.allowRequests("a");
        cell.advance(Duration.ofSeconds(5));
        assertEachOwnedOnce(32);
    }
}
