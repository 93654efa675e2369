package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;

/**
 * A bean that uses the elections, and has a lower phase, stops with them, and Spring counts it among the beans of their phase: the phase then
 * ends before the elections have.
 */
class StopBarrierTest {

    private static final long WHILE_MILLIS = 500;

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();

    @Test
    void noBeanOfALowerPhaseStopsWhileARoleEnds() {
        runner.withUserConfiguration(Lower.class, Role.class).run(context -> {
            Role role = context.getBean(Role.class);
            await().until(() -> context.getBean(LeaderElections.class).isLeader("billing"));
            context.close();
            assertThat(role.overtaken).isCompletedWithValue(false);
        });
    }

    @Test
    void theNodeRunsUntilAnInitiatorWithAPhaseOfItsOwnHasEnded() {
        runner.withUserConfiguration(Last.class, Initiator.class).run(context -> {
            Initiator initiator = context.getBean(Initiator.class);
            await().until(context.getBean(PaxosLeaseLeaderInitiator.class)::isLeader);
            context.close();
            assertThat(initiator.overtaken).isCompletedWithValue(false);
        });
    }

    @Test
    @Timeout(20)
    void aStopThatHangsHoldsTheShutdownUpForALimitedTime() throws InterruptedException {
        BackgroundStops stops = new BackgroundStops();
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        stops.start("billing", () -> awaited(hangs, Duration.ofSeconds(20)), ended::countDown);
        StopBarrier barrier = new StopBarrier(0, Duration.ofMillis(50), stops);
        barrier.start();
        barrier.stop();
        assertThat(barrier.isRunning()).isFalse();
        assertThat(ended.getCount()).isEqualTo(1);

        hangs.countDown();
        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
        new StopBarrier(0, Duration.ofDays(1), stops).stop();
    }

    private static boolean awaited(CountDownLatch latch, Duration atMost) {
        try {
            return latch.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Says when it stops. */
    private static class Phase implements SmartLifecycle {
        final CountDownLatch stopped = new CountDownLatch(1);
        private final int phase;
        private volatile boolean running;

        Phase(int phase) {
            this.phase = phase;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            stopped.countDown();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }

    /** Stops long before its phase, with the bean that it uses. */
    private static final class User extends Phase {
        User() {
            super(Integer.MIN_VALUE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lower {

        @Bean
        User user(LeaderElections elections) {
            assertThat(elections).isNotNull();
            return new User();
        }

        @Bean
        Phase lower() {
            return new Phase(0);
        }
    }

    static class Role {
        final CompletableFuture<Boolean> overtaken = new CompletableFuture<>();
        private final Phase lower;
        private final PaxosLease node;

        Role(Phase lower, PaxosLease node) {
            this.lower = lower;
            this.node = node;
        }

        @OnRevoked("billing")
        void revoked() {
            boolean hasStopped = awaited(lower.stopped, Duration.ofMillis(WHILE_MILLIS));
            overtaken.complete(hasStopped || !node.monitor().isRunning());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Last {

        @Bean
        User user(PaxosLeaseLeaderInitiator initiator) {
            assertThat(initiator).isNotNull();
            return new User();
        }

        /** Just before the node, as {@code VoteWait}. */
        @Bean
        Phase last() {
            return new Phase(Integer.MIN_VALUE + 1001);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Initiator {
        final CompletableFuture<Boolean> overtaken = new CompletableFuture<>();

        @Bean
        PaxosLeaseLeaderInitiator initiator(PaxosLease node, Phase last) {
            Candidate candidate = new DefaultCandidate("n", "reports") {
                @Override
                public void onRevoked(Context context) {
                    boolean hasStopped = awaited(last.stopped, Duration.ofMillis(WHILE_MILLIS));
                    overtaken.complete(hasStopped || !node.monitor().isRunning());
                }
            };
            PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(node, candidate);
            initiator.setPhase(-5);
            return initiator;
        }
    }
}
