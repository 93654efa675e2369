package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.Leadership;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;

/** How leadership ends: in which order, and when something goes wrong on the way. */
@ExtendWith(OutputCaptureExtension.class)
class OnLeaderEndTest {

    static Stream<ApplicationContextRunner> withAndWithoutSpringIntegration() {
        ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();
        return Stream.of(runner, runner.withClassLoader(new FilteredClassLoader(Candidate.class)));
    }

    @ParameterizedTest
    @MethodSource("withAndWithoutSpringIntegration")
    void callsAreInterruptedThenBeansStopThenListenersAreTold(ApplicationContextRunner runner) {
        runner.withUserConfiguration(Ordered.class).run(context -> {
            Ordered beans = context.getBean(Ordered.class);
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> beans.log.contains("told of the grant"));
            CompletableFuture<Void> call =
                    CompletableFuture.runAsync(context.getBean(Worker.class)::workUntilTheListenersAreTold);
            await().until(() -> beans.log.contains("works"));
            elections.resign("leader");
            call.get(20, TimeUnit.SECONDS);
            assertThat(beans.log.subList(0, 6))
                    .containsExactly(
                            "bean started",
                            "told of the grant",
                            "works",
                            "interrupted, leader: false",
                            "bean stopped",
                            "told of the end");
            assertThat(elections.callCounts("leader")).isEqualTo(new GuardedCallCounts(0, 1, 0));
        });
    }

    @ParameterizedTest
    @MethodSource("withAndWithoutSpringIntegration")
    void aLeadershipThatWasNeverAnnouncedIsNotRevokedEither(ApplicationContextRunner runner) {
        runner.withUserConfiguration(Failing.class).run(context -> {
            Failing beans = context.getBean(Failing.class);
            await().atMost(20, TimeUnit.SECONDS).until(() -> beans.log.size() > 1);
            assertThat(beans.log).containsOnly("tried to start", "bean stopped");
        });
    }

    @Test
    void aBeanThatFailsToStopDoesNotKeepTheOthersRunning() {
        ManagedBeans beans = new ManagedBeans("leader", Duration.ofSeconds(10));
        Recorder other = new Recorder(new CopyOnWriteArrayList<>());
        Recorder failing = new Recorder(new CopyOnWriteArrayList<>()) {
            @Override
            public void stop() {
                throw new NoClassDefFoundError("gone");
            }
        };
        beans.add(new ManagedBean("failing", failing));
        beans.add(new ManagedBean("other", other));
        Leadership leading = new OnLeaderLifecycleTest.Leading();
        beans.start(leading);
        beans.stop();
        assertThat(other.isRunning()).isFalse();
        failing.running = false;
        beans.start(leading);
        assertThat(failing.isRunning()).isTrue();
    }

    @Test
    void aCallMayCloseTheApplication() throws Exception {
        PaxosLeaseTestSupport.runner().withBean(Closer.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("leader"));
            Closer closer = context.getBean(Closer.class);
            CompletableFuture<Boolean> call =
                    CompletableFuture.supplyAsync(() -> closer.closeAndAnswerWhetherInterrupted(context::close));
            assertThat(call.get(10, TimeUnit.SECONDS)).isFalse();
            assertThat(elections.isLeader("leader")).isFalse();
        });
    }

    @Test
    void aListenerMayCloseTheApplication() {
        PaxosLeaseTestSupport.runner()
                .withUserConfiguration(ClosingListener.class)
                .run(context -> {
                    ClosingListener listener = context.getBean(ClosingListener.class);
                    listener.close.complete(context::close);
                    listener.closed.get(20, TimeUnit.SECONDS); // sooner than the stop's own limit, 27 s
                });
    }

    @Test
    void aCallbackThatHangsIsWaitedForOnce(CapturedOutput output) {
        CountDownLatch hangs = new CountDownLatch(1);
        PaxosLeaseTestSupport.runner()
                .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=1s")
                .withBean(CountDownLatch.class, () -> hangs)
                .withUserConfiguration(Hanging.class)
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    await().until(() -> elections.announcedLeadership("leader").isPresent());
                    await().until(() ->
                            context.getBean(PaxosLeaseLeaderInitiator.class).isLeader());
                });
        await().until(() -> output.getOut().split("took longer than", -1).length > 2);
        hangs.countDown();
        assertThat(output.getOut().split("took longer than", -1)).hasSize(1 + 2);
    }

    @Configuration(proxyBeanMethods = false)
    static class Hanging {

        @Bean
        HangingListener listener(CountDownLatch hangs) {
            return new HangingListener(hangs);
        }

        @Bean
        PaxosLeaseLeaderInitiator initiator(PaxosLease node, CountDownLatch hangs) {
            AbstractCandidate candidate = new AbstractCandidate("a", "other") {
                @Override
                public void onGranted(Context context) {}

                @Override
                public void onRevoked(Context context) {
                    awaitUninterruptibly(hangs);
                }
            };
            PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(node, candidate);
            initiator.setStopTimeout(Duration.ofMillis(100));
            return initiator;
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        await().forever().until(() -> latch.getCount() == 0);
    }

    static class HangingListener {

        private final CountDownLatch hangs;

        HangingListener(CountDownLatch hangs) {
            this.hangs = hangs;
        }

        @OnRevoked
        void revoked() {
            awaitUninterruptibly(hangs);
        }
    }

    static class ClosingListener {

        final CompletableFuture<Runnable> close = new CompletableFuture<>();
        final CompletableFuture<Void> closed = new CompletableFuture<>();

        @OnGranted
        void granted() {
            close.join().run();
            closed.complete(null);
        }
    }

    @Test
    void aCallThatOutlivesTheLeaseIsCounted() {
        PaxosLeaseTestSupport.runner().withBean(Closer.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("leader"));
            context.getBean(Closer.class).closeAndAnswerWhetherInterrupted(context.getBean(PaxosLease.class)::stop);
            assertThat(elections.callCounts("leader").overrun()).isEqualTo(1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Ordered {

        final List<String> log = new CopyOnWriteArrayList<>();

        @Bean
        @OnLeader
        Recorder recorder() {
            return new Recorder(log);
        }

        @Bean
        Worker worker() {
            return new Worker(log);
        }

        @OnGranted
        void granted() {
            log.add("told of the grant");
        }

        @OnRevoked
        void revoked() {
            log.add("told of the end");
        }
    }

    /** Public, for the context whose class loader is another one. */
    public static class Worker {

        private final List<String> log;

        public Worker(List<String> log) {
            this.log = log;
        }

        @OnLeader
        public void workUntilTheListenersAreTold() {
            log.add("works");
            try {
                new CompletableFuture<>().get();
            } catch (InterruptedException expected) {
                log.add("interrupted, leader: " + Leadership.current().isLeader());
            } catch (java.util.concurrent.ExecutionException e) {
                throw new AssertionError(e);
            }
            await().until(() -> log.contains("told of the end"));
        }
    }

    /** Public, for the context whose class loader is another one. */
    public static class Recorder implements SmartLifecycle {

        private final List<String> log;
        private volatile boolean running;

        public Recorder(List<String> log) {
            this.log = log;
        }

        @Override
        public void start() {
            log.add("bean started");
            running = true;
        }

        @Override
        public void stop() {
            // The interrupt comes first, but from another thread.
            await().until(() -> !log.contains("works") || log.contains("interrupted, leader: false"));
            log.add("bean stopped");
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Failing {

        final List<String> log = new CopyOnWriteArrayList<>();

        @Bean
        @OnLeader
        Recorder recorder() {
            return new Recorder(log) {
                @Override
                public void start() {
                    log.add("tried to start");
                    throw new IllegalStateException("no broker");
                }
            };
        }

        @OnGranted
        void granted() {
            log.add("told of the grant");
        }

        @OnRevoked
        void revoked() {
            log.add("told of the end");
        }
    }

    static class Closer {
        @OnLeader
        public Boolean closeAndAnswerWhetherInterrupted(Runnable close) {
            close.run();
            return Thread.currentThread().isInterrupted();
        }
    }
}
