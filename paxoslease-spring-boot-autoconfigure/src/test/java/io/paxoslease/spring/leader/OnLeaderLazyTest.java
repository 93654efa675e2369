package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.lock.Locked;
import io.paxoslease.spring.lock.LockedCall;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.EventListener;

/** The roles of beans that are created late, or not at all, are contested. */
class OnLeaderLazyTest {

    /** How the beans come to be lazy: by {@code spring.main.lazy-initialization}, or by their annotation. */
    static Stream<Arguments> runners() {
        ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();
        return Stream.of(
                Arguments.of(
                        "all beans",
                        runner.withUserConfiguration(Beans.class)
                                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                                        new LazyInitializationBeanFactoryPostProcessor()))),
                Arguments.of("annotated beans", runner.withUserConfiguration(LazyBeans.class)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("runners")
    void theRolesOfLazyBeansAreContestedAndTheirListenersAreCalled(String what, ApplicationContextRunner runner) {
        runner.run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            assertThat(elections.roles()).containsExactly("consumer", "event", "granted", "job", "plain", "prototype");
            await().until(() -> elections.roles().stream().allMatch(elections::isLeader));
            assertThat(context.getBeanFactory().containsSingleton("job")).isFalse();
            assertThat(context.getBean(Job.class).work()).isEqualTo("worked");
            assertThat(context.getBean(Job.class).locked()).isEqualTo("k");
            Signals signals = context.getBean(Signals.class);
            assertThat(signals.granted.await(20, TimeUnit.SECONDS)).isTrue();
            await().until(context.getBean(Consumer.class)::isRunning);
            assertThat(signals.plain.await(20, TimeUnit.SECONDS)).isTrue();
            context.publishEvent("order");
            assertThat(signals.event).isTrue();

            elections.stop();

            assertThat(context.getBean(PaxosLease.class).monitor().isRunning()).isTrue();
            assertThat(context.getBean(Job.class).work()).isNull();
            assertThat(context.getBean(Prototype.class).work()).isNull();
            assertThat(context.getBean(Consumer.class).isRunning()).isFalse();
        });
    }

    static class Signals {
        private final CountDownLatch granted = new CountDownLatch(1);
        private final CountDownLatch plain = new CountDownLatch(1);
        private final AtomicBoolean event = new AtomicBoolean();
    }

    static class Job {
        @OnLeader("job")
        @Nullable
        String work() {
            return "worked";
        }

        @Locked("k")
        String locked() {
            return LockedCall.current().key();
        }
    }

    static class Listener {

        private final Signals signals;

        Listener(Signals signals) {
            this.signals = signals;
        }

        @OnGranted("granted")
        void granted() {
            signals.granted.countDown();
        }

        @EventListener
        @OnLeader("event")
        void on(String event) {
            signals.event.set(true);
        }
    }

    @OnLeader("consumer")
    static class Consumer extends SwitchedBean implements SmartLifecycle {}

    /** The container does not create a lazy bean of this kind. */
    @OnLeader("plain")
    static class Plain extends SwitchedBean implements Lifecycle {

        private final Signals signals;

        Plain(Signals signals) {
            this.signals = signals;
        }

        @Override
        public void start() {
            super.start();
            signals.plain.countDown();
        }
    }

    static class Prototype {
        @OnLeader("prototype")
        @Nullable
        String work() {
            return "worked";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Signals signals() {
            return new Signals();
        }

        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        Listener listener(Signals signals) {
            return new Listener(signals);
        }

        @Bean
        Consumer consumer() {
            return new Consumer();
        }

        @Bean
        Plain plain(Signals signals) {
            return new Plain(signals);
        }

        @Bean
        @Scope("prototype")
        Prototype prototype() {
            return new Prototype();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Lazy
    static class LazyBeans extends Beans {}
}
