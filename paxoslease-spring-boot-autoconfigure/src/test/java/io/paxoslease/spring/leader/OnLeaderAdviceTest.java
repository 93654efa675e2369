package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

/** The check together with other annotations on the same method or class, and on beans of less usual kinds. */
class OnLeaderAdviceTest {

    private final StubbedElections elections = new StubbedElections();

    @AfterEach
    void stop() {
        elections.stop();
    }

    private AnnotationConfigApplicationContext started(Class<?>... beans) {
        AnnotationConfigApplicationContext context = elections.context(beans);
        context.refresh();
        return context;
    }

    @Test
    void everyAttemptOfARetriedCallIsChecked() {
        PaxosLeaseTestSupport.runner().withUserConfiguration(Retrying.class).run(context -> {
            LeaderElections real = context.getBean(LeaderElections.class);
            await().until(() -> real.isLeader("leader"));
            Flaky flaky = context.getBean(Flaky.class);
            flaky.work(() -> {
                real.resign("leader");
                assertThat(Thread.interrupted()).isTrue();
            });
            assertThat(flaky.attempts()).hasValue(1);
            assertThat(real.callCounts("leader").skipped()).isEqualTo(1);
        });
    }

    @Test
    void everythingThatSpringCallsOnAGuardedClassIsForTheLeader() throws Exception {
        try (AnnotationConfigApplicationContext context = started(Support.class, Everything.class)) {
            Everything bean = context.getBean(Everything.class);
            OnLeaderProxyTest.CountingTransactions transactions =
                    context.getBean(OnLeaderProxyTest.CountingTransactions.class);
            context.publishEvent("hello");
            bean.inTransaction();
            assertThat(bean.inBackground().get(20, TimeUnit.SECONDS)).isNull();
            await().until(() -> elections.calls.size() > 3);
            assertThat(transactions.begun()).hasValue(0);

            elections.lead("everything");
            context.publishEvent("hello");
            bean.inTransaction();
            assertThat(bean.inBackground().get(20, TimeUnit.SECONDS)).isEqualTo("everything");
            assertThat(bean.scheduled().await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(bean.heard()).hasValue(1);
            assertThat(transactions.begun()).hasValue(1);
        }
    }

    @Test
    void aMethodOfAConfigurationClassIsGuardedAndItsBeansStaySingletons() {
        try (AnnotationConfigApplicationContext context = started(FullConfiguration.class)) {
            FullConfiguration configuration = context.getBean(FullConfiguration.class);
            assertThat(configuration.work()).isNull();
            assertThat(context.getBean("user")).isSameAs(context.getBean("text"));
            assertThat(configuration.text()).isSameAs(context.getBean("text"));
            elections.lead("leader");
            assertThat(configuration.work()).isEqualTo("worked");
            await().until(() -> configuration.ticked().getCount() == 0);
        }
    }

    @Test
    void aDefaultMethodOfAnInterfaceIsGuarded() {
        try (AnnotationConfigApplicationContext context = started(InheritsDefault.class)) {
            WithDefault bean = context.getBean(WithDefault.class);
            assertThat(bean.work()).isNull();
            elections.lead("leader");
            assertThat(bean.work()).isEqualTo("default");
        }
    }

    @Test
    void equalsAndHashCodeAreNotGuarded() {
        try (AnnotationConfigApplicationContext context = started(WithEquals.class)) {
            WithEquals bean = context.getBean(WithEquals.class);
            assertThat(Set.of(bean)).contains(bean);
            assertThat(bean.equals(null)).isFalse();
            assertThat(elections.calls).isEmpty();
        }
    }

    @Test
    void aLazyReferenceAndAPrimaryBeanAreGuarded() {
        try (AnnotationConfigApplicationContext context = started(LazyUser.class, Choice.class)) {
            assertThat(elections.found).contains("primary");
            assertThat(context.getBeanFactory().containsSingleton("one")).isFalse();
            LazyUser user = context.getBean(LazyUser.class);
            assertThat(user.job.work()).isNull();
            elections.lead("primary");
            assertThat(user.job.work()).isEqualTo("worked");
        }
    }

    @Test
    void aBeanThatTakesTheNameOfAnotherIsJudgedByItsOwnAnnotations() {
        try (AnnotationConfigApplicationContext context = started()) {
            context.registerBean("job", PrimaryJob.class);
            assertThat(context.getBean("job", PrimaryJob.class).work()).isNull();
            context.registerBean("job", Plain.class);
            assertThat(context.getBean("job", Plain.class).work()).isEqualTo("plain");
        }
    }

    @Test
    void aFrozenProxyIsRefused() {
        assertThatThrownBy(() -> started(Frozen.class))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("its proxy takes no further advice");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Retrying {
        @Bean
        Flaky flaky() {
            return new Flaky();
        }
    }

    static class Flaky {

        private final AtomicInteger attempts = new AtomicInteger();

        AtomicInteger attempts() {
            return attempts;
        }

        @Retryable(maxRetries = 3, delay = 1)
        @OnLeader
        public void work(Runnable meanwhile) {
            attempts.incrementAndGet();
            meanwhile.run();
            throw new IllegalStateException("attempt " + attempts);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableScheduling
    static class Support extends OnLeaderProxyTest.Transactions {}

    @OnLeader("everything")
    static class Everything {

        private final AtomicInteger heard = new AtomicInteger();
        private final CountDownLatch scheduled = new CountDownLatch(1);

        AtomicInteger heard() {
            return heard;
        }

        CountDownLatch scheduled() {
            return scheduled;
        }

        @EventListener
        public void on(String event) {
            heard.incrementAndGet();
        }

        @Transactional
        public void inTransaction() {}

        @Async
        public CompletableFuture<@Nullable String> inBackground() {
            return CompletableFuture.completedFuture(Leadership.current().role());
        }

        @Scheduled(fixedDelay = 1)
        public void tick() {
            scheduled.countDown();
        }
    }

    @Configuration
    @EnableScheduling
    static class FullConfiguration {

        private final CountDownLatch ticked = new CountDownLatch(1);

        CountDownLatch ticked() {
            return ticked;
        }

        @Bean
        Object text() {
            return new Object();
        }

        @Bean
        Object user() {
            return text();
        }

        @OnLeader
        @Nullable
        String work() {
            return "worked";
        }

        @Scheduled(fixedDelay = 1)
        @OnLeader
        void tick() {
            ticked.countDown();
        }
    }

    interface WithDefault {
        @OnLeader
        default @Nullable String work() {
            return "default";
        }
    }

    static class InheritsDefault implements WithDefault {}

    @OnLeader
    static class WithEquals {

        public void work() {}

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof WithEquals;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    static class LazyUser {

        final PrimaryJob job;

        LazyUser(@Lazy PrimaryJob job) {
            this.job = job;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Choice {
        @Bean
        @Lazy
        @Primary
        PrimaryJob one() {
            return new PrimaryJob();
        }

        @Bean
        @Lazy
        PrimaryJob other() {
            return new PrimaryJob();
        }
    }

    static class PrimaryJob {
        @OnLeader("primary")
        public @Nullable String work() {
            return "worked";
        }
    }

    static class Plain {
        public String work() {
            return "plain";
        }
    }

    interface Work {
        @Nullable
        String work();
    }

    static class HiddenJob implements Work {
        @Override
        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Frozen {
        @Bean
        Work frozen() {
            ProxyFactory factory = new ProxyFactory(new HiddenJob());
            factory.setFrozen(true);
            return (Work) factory.getProxy();
        }
    }
}
