package io.paxoslease.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.Leadership;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnGranted;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.OnRevoked;
import io.paxoslease.spring.leader.PaxosLeaseLeaderAutoConfiguration;
import io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

/** Three applications of one cell, over loopback, that are closed, stopped and paused while they lead. */
@Tag("slow")
@Tag("jdk")
@Timeout(120)
class GracefulShutdownTest {

    /** Long enough to tell a release from an expiry, which comes after two thirds of it at the earliest. */
    private static final Duration LEASE_TIME = Duration.ofSeconds(4);

    private final TestCell cell = new TestCell(3);
    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();
    private final Story story = new Story();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void start() {
        cell.nodes().forEach(node -> nodes.add(start(node)));
        await().atMost(Duration.ofSeconds(30)).until(() -> nodes.stream()
                .allMatch(each ->
                        each.getBean(PaxosLease.class).monitor().status().state() == NodeStatus.State.SERVING));
    }

    @AfterEach
    void stop() {
        story.letListenerGo.countDown();
        story.letCallGo.countDown();
        threads.shutdownNow();
        nodes.forEach(ConfigurableApplicationContext::close);
    }

    /**
     * The close of the leader's context waits for its guarded calls, then releases the lease, and then another node
     * leads.
     */
    @Test
    void aClosingLeaderFinishesItsWorkAndHandsOverByRelease() throws Exception {
        ConfigurableApplicationContext first = awaitLeader();
        await().until(() -> story.lines.size() == 1);
        LeaderElections elections = elections(first);
        Future<?> call = threads.submit(() -> first.getBean(Job.class).work());
        assertThat(story.callEntered.await(20, TimeUnit.SECONDS)).isTrue();

        Future<?> close = threads.submit(first::close);
        assertThat(story.listenerEntered.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(elections.isLeader("leader")).isFalse();
        assertThat(nodes).noneMatch(GracefulShutdownTest::leads);
        story.letListenerGo.countDown();
        await().until(() -> story.lines.contains("revoked " + idOf(first)));
        assertThat(nodes).noneMatch(GracefulShutdownTest::leads);
        assertThat(close).isNotDone();

        long finished = System.nanoTime();
        nodes.remove(first); // it closes: its beans may be gone
        story.letCallGo.countDown();
        ConfigurableApplicationContext second = awaitLeader();
        Duration handover = Duration.ofNanos(System.nanoTime() - finished);
        call.get(20, TimeUnit.SECONDS);
        close.get(20, TimeUnit.SECONDS);
        await().until(() -> story.lines.size() == 5);
        assertThat(story.lines)
                .containsExactly(
                        "granted " + idOf(first),
                        "call begins",
                        "revoked " + idOf(first),
                        "call ends",
                        "granted " + idOf(second));
        assertThat(handover).isLessThan(LEASE_TIME.dividedBy(2));
    }

    @Test
    void contextsMayBeStoppedAndStartedAgainAndAgain() {
        story.letListenerGo.countDown();
        goAroundWith(ConfigurableApplicationContext::stop, ConfigurableApplicationContext::start);
    }

    /** As the test framework does with the contexts it keeps. */
    @Test
    void contextsMayBePausedAndRestartedAgainAndAgain() {
        story.letListenerGo.countDown();
        goAroundWith(ConfigurableApplicationContext::pause, ConfigurableApplicationContext::restart);
    }

    private interface Step {
        void on(ConfigurableApplicationContext context);
    }

    private void goAroundWith(Step out, Step in) {
        long token = 0;
        for (int round = 0; round < 3; round++) {
            ConfigurableApplicationContext leader = awaitLeader();
            PaxosLeaseLeaderInitiator initiator = leader.getBean(PaxosLeaseLeaderInitiator.class);
            long next = elections(leader).leadership("leader").orElseThrow().fencingToken();
            assertThat(next).isGreaterThan(token);
            token = next;
            await().until(initiator::isRunning);
            out.on(leader);
            assertThat(leads(leader)).isFalse();
            assertThat(initiator.isRunning()).isFalse();
            assertThat(leader.getBean(PaxosLease.class).monitor().isRunning()).isFalse();
            in.on(leader);
            assertThat(leader.getBean(PaxosLease.class).monitor().isRunning()).isTrue();
            assertThat(elections(leader).isRunning()).isTrue();
            assertThat(initiator.isRunning()).isTrue();
        }
        // Those that went out count and lead again: the one that never did is not needed.
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(leader()).isPresent();
            assertThat(nodes).anyMatch(node -> node.getBean(PaxosLeaseLeaderInitiator.class)
                    .isLeader());
        });
    }

    private ConfigurableApplicationContext start(String node) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(cell.propertiesOf(node))
                .properties("paxoslease.lease-time=" + LEASE_TIME, "paxoslease.max-lease-time=" + LEASE_TIME)
                .initializers(context -> context.getBeanFactory().registerSingleton("story", story))
                .run();
    }

    private ConfigurableApplicationContext awaitLeader() {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> leader().isPresent());
        return leader().orElseThrow();
    }

    private Optional<ConfigurableApplicationContext> leader() {
        return nodes.stream().filter(GracefulShutdownTest::leads).findFirst();
    }

    private static boolean leads(ConfigurableApplicationContext node) {
        return node.isActive() && elections(node).isLeader("leader");
    }

    private static String idOf(ConfigurableApplicationContext node) {
        return node.getEnvironment().getRequiredProperty("paxoslease.node-id");
    }

    private static LeaderElections elections(ConfigurableApplicationContext node) {
        return node.getBean(LeaderElections.class);
    }

    /** The events of all applications, and the latches that block them. */
    static final class Story {

        final List<String> lines = new CopyOnWriteArrayList<>();
        final CountDownLatch callEntered = new CountDownLatch(1);
        final CountDownLatch letCallGo = new CountDownLatch(1);
        final CountDownLatch listenerEntered = new CountDownLatch(1);
        final CountDownLatch letListenerGo = new CountDownLatch(1);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({PaxosLeaseAutoConfiguration.class, PaxosLeaseLeaderAutoConfiguration.class})
    static class App {

        @Bean
        Job job(Story story, PaxosLease node) {
            return new Job(story, node.monitor().options().nodeId());
        }

        @Bean
        PaxosLeaseLeaderInitiator initiator(PaxosLease node) {
            return new PaxosLeaseLeaderInitiator(node, new Quiet());
        }
    }

    static class Job {

        private final Story story;
        private final String node;

        Job(Story story, String node) {
            this.story = story;
            this.node = node;
        }

        @OnGranted
        void granted(Leadership leadership) {
            story.lines.add("granted " + node);
        }

        @OnLeader(interrupt = false)
        public void work() {
            story.lines.add("call begins");
            story.callEntered.countDown();
            awaitUninterruptibly(story.letCallGo);
            story.lines.add("call ends");
        }

        @OnRevoked
        void revoked() {
            story.listenerEntered.countDown();
            awaitUninterruptibly(story.letListenerGo);
            story.lines.add("revoked " + node);
        }

        private static void awaitUninterruptibly(CountDownLatch latch) {
            await().forever().until(() -> latch.getCount() == 0);
        }
    }

    /** Contests the role that the job's annotations name. */
    static final class Quiet extends AbstractCandidate {

        Quiet() {
            super("any", OnLeader.DEFAULT_ROLE);
        }

        @Override
        public void onGranted(Context context) {}

        @Override
        public void onRevoked(Context context) {}
    }
}
