package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.HandOverException;
import io.paxoslease.NodeAdmin;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.lock.PaxosLeaseLock;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Three applications of one cell, over loopback. */
@Tag("slow")
@SuppressWarnings("LockNotBeforeTry") // what happens between lock and unlock is what is tested
class ThreeNodeCellTest {

    private final TestCell cell = new TestCell(3);
    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        cell.nodes().forEach(node -> nodes.add(start(node)));
    }

    @AfterEach
    void stop() {
        nodes.forEach(ConfigurableApplicationContext::close);
    }

    @Test
    void oneNodeRunsTheLeadersWorkAndTheOthersSkipIt() {
        await().untilAsserted(() -> {
            String leader = idOf(awaitLeader());
            assertThat(nodes)
                    .filteredOn(node -> node.getBean(Job.class).run() != null)
                    .extracting(ThreeNodeCellTest::idOf)
                    .containsExactly(leader);
            assertThat(nodes).allSatisfy(node -> assertThat(elections(node).leaderId("leader"))
                    .contains(leader));
        });
    }

    @Test
    void theEndpointTellsAFollowerTheLeaderAsAHint() {
        await().untilAsserted(() -> {
            ConfigurableApplicationContext leader = awaitLeader();
            assertThat(nodes)
                    .filteredOn(node -> node != leader)
                    .extracting(node ->
                            LeasesEndpoint.of(node.getBean(PaxosLease.class)).lease("role:leader"))
                    .extracting(lease -> lease == null ? null : lease.owner())
                    .allSatisfy(owner -> {
                        assertThat(owner).isNotNull();
                        assertThat(owner.nodeId()).isEqualTo(idOf(leader));
                        assertThat(owner.certain()).isFalse();
                        assertThat(owner.ageMillis()).isBetween(0L, 10_000L);
                    });
        });
    }

    @Test
    void anotherNodeTakesOverWhenTheLeaderStops() {
        ConfigurableApplicationContext first = awaitLeader();
        long firstToken = elections(first).leadership("leader").orElseThrow().fencingToken();
        LeaderElections firstElections = elections(first);
        first.close();
        assertThat(firstElections.isLeader("leader")).isFalse();
        nodes.remove(first);

        ConfigurableApplicationContext second = awaitLeader();
        assertThat(second).isNotSameAs(first);
        assertThat(second.getBean(Job.class).run()).isEqualTo("ran");
        assertThat(elections(second).leadership("leader").orElseThrow().fencingToken())
                .isGreaterThan(firstToken);
    }

    @Test
    void aLeaderThatResignsHandsOverToAnotherNode() {
        ConfigurableApplicationContext first = awaitLeader();
        elections(first).resign("leader");
        assertThat(elections(first).isLeader("leader")).isFalse();
        assertThat(awaitLeader()).isNotSameAs(first);
    }

    @Test
    void anOperatorHandsTheRoleOverToANodeThatWaits() {
        ConfigurableApplicationContext first = awaitLeader();
        for (ConfigurableApplicationContext next : nodes) {
            if (next != first) {
                LeasesEndpoint endpoint = LeasesEndpoint.of(first.getBean(PaxosLease.class));
                String id = idOf(next);
                await().ignoreException(HandOverException.class) // it may not wait for the role yet
                        .until(() -> endpoint.giveUp(new String[] {"role:leader"}, id)
                                        .outcome()
                                == NodeAdmin.GivenUp.YIELDED);
                await().until(() -> elections(next).isLeader("leader"));
                first = next;
            }
        }
        LeasesEndpoint endpoint = LeasesEndpoint.of(first.getBean(PaxosLease.class));
        assertThatThrownBy(() -> endpoint.giveUp(new String[] {"role:leader"}, "n9"))
                .isInstanceOf(HandOverException.class)
                .hasMessageContaining("does not wait");
        assertThat(elections(first).isLeader("leader")).isTrue();
    }

    @Test
    void aNodeThatStoppedAndStartedAgainCountsForTheMajority() {
        ConfigurableApplicationContext first = awaitLeader();
        first.stop();
        awaitLeader();
        first.start();
        // Two of three remain, one of which is the restarted one.
        ConfigurableApplicationContext other =
                nodes.stream().filter(node -> node != first).findFirst().orElseThrow();
        other.close();
        nodes.remove(other);
        awaitLeader();
    }

    @Test
    void aLockIsHeldByOneNodeAtATime() throws Exception {
        PaxosLeaseLock here = lock(0);
        here.lock();
        assertThat(lock(1).tryLock()).isFalse();
        assertThat(lock(2).tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
        long token = here.fencingToken();
        here.unlock();
        assertThat(lock(1).tryLock(20, TimeUnit.SECONDS)).isTrue();
        assertThat(lock(1).fencingToken()).isGreaterThan(token);
        lock(1).unlock();
    }

    @Test
    void threadsOfAllNodesNeverHoldALockTogether() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger rounds = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(nodes.size());
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int node = 0; node < nodes.size(); node++) {
                PaxosLeaseLock lock = lock(node);
                workers.add(threads.submit(() -> {
                    for (int round = 0; round < 20; round++) {
                        lock.lock();
                        try {
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            rounds.incrementAndGet();
                        } finally {
                            inside.decrementAndGet();
                            lock.unlock();
                        }
                    }
                }));
            }
            for (Future<?> worker : workers) {
                worker.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(rounds).hasValue(60);
    }

    @Test
    void aLockIsFreeSoonAfterItsNodeHasStopped() throws Exception {
        lock(0).lock();
        nodes.get(0).close();
        assertThat(lock(1).tryLock(20, TimeUnit.SECONDS)).isTrue();
        lock(1).unlock();
    }

    private ConfigurableApplicationContext start(String node) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(cell.propertiesOf(node))
                .run();
    }

    private ConfigurableApplicationContext awaitLeader() {
        await().until(() -> leader().isPresent());
        return leader().orElseThrow();
    }

    private Optional<ConfigurableApplicationContext> leader() {
        return nodes.stream().filter(node -> elections(node).isLeader("leader")).findFirst();
    }

    private PaxosLeaseLock lock(int node) {
        return nodes.get(node).getBean(PaxosLeaseLockRegistry.class).obtain("stock");
    }

    private static String idOf(ConfigurableApplicationContext node) {
        return node.getBean(PaxosLease.class).monitor().options().nodeId();
    }

    private static LeaderElections elections(ConfigurableApplicationContext node) {
        return node.getBean(LeaderElections.class);
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PaxosLeaseTestSupport.All.class)
    static class App {
        @Bean
        Job job() {
            return new Job();
        }
    }

    static class Job {
        @OnLeader
        @Nullable
        String run() {
            return "ran";
        }
    }
}
