package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.Leadership;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.integration.leader.Candidate;

/** Beans that are started and stopped with leadership, in applications that are cells of one. */
class OnLeaderLifecycleTest {

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();

    @Test
    void aBeanIsStartedWithLeadershipAndStoppedBeforeItIsReleased() {
        runner.withUserConfiguration(OnClass.class).run(context -> {
            Consumer consumer = context.getBean(Consumer.class);
            await().until(consumer::isRunning);
            LeaderElections elections = context.getBean(LeaderElections.class);
            PaxosLease node = context.getBean(PaxosLease.class);
            consumer.whenStopping(
                    () -> assertThat(node.monitor().status("role:billing")).isPresent());
            elections.resign("billing");
            await().until(() -> consumer.log().size() == 2);
            assertThat(consumer.log())
                    .containsExactly("start on paxoslease-leader-billing", "stop on paxoslease-leader-billing");
            assertThat(elections.isLeader("billing")).isFalse();
        });
    }

    /** A consumer's thread may start the consumer again when its work ends, and the consumer's stop waits for that thread. */
    @Test
    void aThreadThatItsStopWaitsForMayCallItsStart() {
        runner.withUserConfiguration(OnClass.class).run(context -> {
            Consumer consumer = context.getBean(Consumer.class);
            await().until(consumer::isRunning);
            consumer.whenStopping(() -> CompletableFuture.runAsync(consumer::start)
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join());
            context.getBean(LeaderElections.class).resign("billing");
            await().until(() -> consumer.log().size() == 2);
            assertThat(consumer.log().get(1)).startsWith("stop");
            assertThat(consumer.isRunning()).isFalse();
        });
    }

    @Test
    void aFollowerDoesNotStartIt() {
        runner.withUserConfiguration(OnClass.class)
                .withPropertyValues("paxoslease.roles.billing.eligible=false")
                .run(context -> {
                    Consumer consumer = context.getBean(Consumer.class);
                    assertThat(consumer.isAutoStartup()).isFalse();
                    consumer.start();
                    context.start();
                    assertThat(consumer.isRunning()).isFalse();
                    assertThat(consumer.log()).isEmpty();
                    assertThat(consumer.size()).isEqualTo(7);
                    consumer.stop();
                    assertThat(consumer.log()).hasSize(1);
                });
    }

    @Test
    void theLeaderMayStopAndStartItByHand() {
        runner.withUserConfiguration(OnClass.class).run(context -> {
            Consumer consumer = context.getBean(Consumer.class);
            await().until(consumer::isRunning);
            consumer.stop();
            assertThat(consumer.isRunning()).isFalse();
            consumer.start();
            assertThat(consumer.isRunning()).isTrue();
        });
    }

    @Test
    void theSameWorksWithoutSpringIntegration() {
        runner.withUserConfiguration(OnClass.class)
                .withClassLoader(new FilteredClassLoader(Candidate.class))
                .run(context -> await().until(context.getBean(Consumer.class)::isRunning));
    }

    @Test
    void anAnnotationOnTheFactoryMethodMeansTheSame() {
        runner.withUserConfiguration(OnFactoryMethod.class).run(context -> {
            Plain bean = context.getBean(Plain.class);
            await().until(bean::isRunning);
            context.stop();
            assertThat(bean.isRunning()).isFalse();
            context.start();
            await().until(bean::isRunning);
        });
    }

    @Test
    void beansStartInTheOrderOfTheirPhasesAndStopInTheReverseOrder() {
        runner.withUserConfiguration(Phases.class).run(context -> {
            List<String> order = context.getBean(Phases.class).order;
            await().until(() -> order.size() == 3);
            context.getBean(LeaderElections.class).resign("leader");
            await().until(() -> order.size() == 6);
            assertThat(order).containsExactly("start 1", "start 2", "start 3", "stop 3", "stop 2", "stop 1");
        });
    }

    @Test
    void aBeanThatDoesNotStartEndsLeadershipAndThoseThatDidAreStopped() {
        runner.withUserConfiguration(Failing.class).run(context -> {
            List<String> order = context.getBean(Failing.class).order;
            await().until(() -> order.size() == 3);
            assertThat(order).containsExactly("start 1", "stop 2", "stop 1");
            assertThat(context.getBean(LeaderElections.class).isLeader("leader"))
                    .isFalse();
            await().atMost(20, TimeUnit.SECONDS).until(() -> order.size() >= 4);
            assertThat(order.get(3)).isEqualTo("start 1");
        });
    }

    @Test
    void aBeanThatCannotBeProxiedIsKeptFromStartingByItsProperty() {
        runner.withUserConfiguration(Finals.class)
                .withPropertyValues("paxoslease.roles.leader.eligible=false")
                .run(context -> {
                    FinalConsumer bean = context.getBean(FinalConsumer.class);
                    assertThat(bean.getClass()).isSameAs(FinalConsumer.class);
                    assertThat(bean.isAutoStartup()).isFalse();
                    assertThat(bean.isRunning()).isFalse();
                    context.start();
                    assertThat(bean.isRunning()).isFalse();
                    bean.start();
                    assertThat(bean.isRunning()).isTrue();
                });
        runner.withUserConfiguration(Finals.class)
                .run(context -> await().until(context.getBean(FinalConsumer.class)::isRunning));
    }

    @Test
    void aBeanThatIsMadeLaterIsStartedWhenThisNodeLeadsAlready() {
        runner.withUserConfiguration(Late.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("leader"));
            context.getBean("early", Plain.class);
            await().until(context.getBean("early", Plain.class)::isRunning);
            assertThat(context.getBean("late", Plain.class).isRunning()).isTrue();
        });
    }

    @Test
    void whatCannotBeStartedAndStoppedIsRefused() {
        assertRefused(NoProperty.class, "is final or has final methods", "add a property 'autoStartup'");
        assertRefused(NoLifecycle.class, "is a @Bean method, and a follower would get no bean", "is a Lifecycle");
        assertRefused(Hidden.class, "is a @Bean method, and a follower would get no bean", "is a Lifecycle");
        assertRefused(Prototype.class, "it is not a singleton", "Make it a singleton");
    }

    @Test
    void withoutElectionsSuchBeansAreRefused() {
        runner.withUserConfiguration(OnFactoryMethod.class)
                .withPropertyValues("paxoslease.enabled=false")
                .run(context -> assertThatThrownBy(() -> context.getBean(Plain.class))
                        .hasRootCauseInstanceOf(AnnotationUsageException.class)
                        .rootCause()
                        .hasMessageContaining("'plain' of " + Plain.class.getName() + " would run on every node"));
    }

    private void assertRefused(Class<?> configuration, String reason, String action) {
        runner.withUserConfiguration(configuration).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining(action));
    }

    @Configuration(proxyBeanMethods = false)
    static class OnClass {
        @Bean
        Consumer consumer() {
            return new Consumer();
        }
    }

    @OnLeader("billing")
    static class Consumer implements SmartLifecycle {

        private final List<String> log = new CopyOnWriteArrayList<>();
        private volatile Runnable whenStopping = () -> {};
        private volatile boolean running;

        List<String> log() {
            return log;
        }

        void whenStopping(Runnable action) {
            whenStopping = action;
        }

        /** Not guarded: the annotation applies to the lifecycle. */
        public int size() {
            return 7;
        }

        @Override
        public void start() {
            log.add("start on " + Thread.currentThread().getName());
            running = true;
        }

        @Override
        public void stop() {
            whenStopping.run();
            running = false;
            log.add("stop on " + Thread.currentThread().getName());
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnFactoryMethod {
        @Bean
        @OnLeader
        Plain plain() {
            return new Plain();
        }
    }

    static class Plain extends SwitchedBean {}

    static class Phased implements SmartLifecycle {

        private final int phase;
        private final List<String> order;
        private final boolean fails;
        private volatile boolean running;

        Phased(int phase, List<String> order, boolean fails) {
            this.phase = phase;
            this.order = order;
            this.fails = fails;
        }

        @Override
        public void start() {
            if (fails) {
                throw new IllegalStateException("no broker");
            }
            order.add("start " + phase);
            running = true;
        }

        @Override
        public void stop() {
            order.add("stop " + phase);
            running = false;
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

    @Configuration
    static class Phases {

        final List<String> order = new CopyOnWriteArrayList<>();

        List<String> order() {
            return order;
        }

        @Bean
        @OnLeader
        Phased second() {
            return new Phased(2, order(), false);
        }

        @Bean
        @OnLeader
        Phased third() {
            return new Phased(3, order(), false);
        }

        @Bean
        @OnLeader
        Phased first() {
            return new Phased(1, order(), false);
        }
    }

    @Configuration
    static class Failing {

        final List<String> order = new CopyOnWriteArrayList<>();

        @Bean
        @OnLeader
        Phased good() {
            return new Phased(1, order, false);
        }

        @Bean
        @OnLeader
        Phased bad() {
            return new Phased(2, order, true);
        }
    }

    static final class FinalConsumer extends Plain implements SmartLifecycle {

        private boolean autoStartup = true;

        public void setAutoStartup(boolean autoStartup) {
            this.autoStartup = autoStartup;
        }

        @Override
        public boolean isAutoStartup() {
            return autoStartup;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Finals {
        @Bean
        @OnLeader
        FinalConsumer consumer() {
            return new FinalConsumer();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Late {
        @Bean
        @OnLeader
        Plain early() {
            return new Plain();
        }

        @Bean
        @OnLeader
        @Lazy
        Plain late() {
            return new Plain();
        }
    }

    static final class FinalWithoutProperty extends Plain {}

    @Configuration(proxyBeanMethods = false)
    static class NoProperty {
        @Bean
        @OnLeader
        FinalWithoutProperty consumer() {
            return new FinalWithoutProperty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoLifecycle {
        @Bean
        @OnLeader
        static String text() {
            return "text";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hidden {
        @Bean
        @OnLeader
        Object hidden() {
            return new Plain();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Prototype {
        @Bean
        @OnLeader
        @Scope("prototype")
        Plain prototype() {
            return new Plain();
        }

        @Bean
        String user(Plain plain) {
            return plain.toString();
        }
    }

    /** Stops only when the test allows it. */
    @Test
    void aBeanThatIsStillStoppingIsNotStartedAgain() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Slow slow = new Slow(goOn);
        ManagedBean managed = new ManagedBean("slow", slow);
        managed.start(new Leading());
        assertThat(slow.isRunning()).isTrue();
        var stopped = managed.stop();
        assertThat(stopped).isNotDone();
        assertThatThrownBy(() -> managed.start(new Leading()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Bean 'slow' is still stopping since the last leadership ended");
        goOn.countDown();
        stopped.get(10, TimeUnit.SECONDS);
        managed.start(new Leading());
        assertThat(slow.isRunning()).isTrue();
    }

    private static final class Slow extends Plain implements SmartLifecycle {

        private final CountDownLatch goOn;

        Slow(CountDownLatch goOn) {
            this.goOn = goOn;
        }

        @Override
        public void stop(Runnable callback) {
            new Thread(() -> {
                        try {
                            goOn.await(10, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        stop();
                        callback.run();
                    })
                    .start();
        }
    }

    static final class Leading implements Leadership {

        @Override
        public String role() {
            return "leader";
        }

        @Override
        public boolean isLeader() {
            return true;
        }

        @Override
        public long fencingToken() {
            return 1;
        }

        @Override
        public java.time.Duration remaining() {
            return java.time.Duration.ofSeconds(1);
        }

        @Override
        public void check() {}

        @Override
        public void resign() {}
    }
}
