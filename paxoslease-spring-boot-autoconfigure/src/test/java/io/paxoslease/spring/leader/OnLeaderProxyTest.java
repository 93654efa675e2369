package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** The check among the other proxies that Spring makes. */
class OnLeaderProxyTest {

    private final StubbedElections elections = new StubbedElections();

    @ParameterizedTest
    @ValueSource(strings = {"spring.aop.auto=true", "spring.aop.auto=false", "spring.aop.proxy-target-class=false"})
    void theCheckDoesNotDependOnSpringsProxySettings(String setting) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues(setting)
                .withBean(OnLeaderPostProcessor.class, elections::postProcessor)
                .withBean(Worker.class)
                .run(context -> {
                    Worker worker = context.getBean(Worker.class);
                    assertThat(worker.work()).isNull();
                    elections.lead("leader");
                    assertThat(worker.work()).isEqualTo("worked");
                });
    }

    @Test
    void aBeanBehindAnInterfaceIsProxiedByItsClass() {
        try (AnnotationConfigApplicationContext context = started(Implementation.class)) {
            Work work = context.getBean(Work.class);
            assertThat(AopUtils.isCglibProxy(work)).isTrue();
            assertThat(work.work()).isNull();
            assertThat(context.getBean(Implementation.class).work()).isNull();
        }
    }

    @Test
    void aLambdaWhoseInterfaceIsAnnotatedIsGuarded() {
        try (AnnotationConfigApplicationContext context = elections.context()) {
            context.registerBean(AnnotatedWork.class, () -> () -> "lambda");
            context.refresh();
            AnnotatedWork work = context.getBean(AnnotatedWork.class);
            assertThat(work.work()).isNull();
            elections.lead("leader");
            assertThat(work.work()).isEqualTo("lambda");
        }
    }

    @Test
    void aScopedBeanIsGuardedAndItsRoleIsKnownAsSoonAsItIsInjected() {
        try (AnnotationConfigApplicationContext context = started(Scoped.class)) {
            Scoped bean = context.getBean(Scoped.class);
            assertThat(elections.found).contains("scoped");
            assertThat(bean.work()).isNull();
            elections.lead("scoped");
            assertThat(bean.work()).isEqualTo("scoped");
        }
    }

    @Test
    void aScheduledMethodIsSkippedOnFollowersAndRunsOnTheLeader() throws InterruptedException {
        try (AnnotationConfigApplicationContext context = started(Scheduling.class, Ticker.class)) {
            Ticker ticker = context.getBean(Ticker.class);
            assertThat(ticker.ticks().await(20, TimeUnit.SECONDS)).isTrue();
            await().until(() -> elections.askedBy.size() > 1);
            assertThat(ticker.guarded().getCount()).isEqualTo(1);
            elections.lead("leader");
            assertThat(ticker.guarded().await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theCheckOfAnAsyncMethodRunsInTheWorkerThread() {
        try (AnnotationConfigApplicationContext context = started(AsyncSupport.class, AsyncWorker.class)) {
            CompletableFuture<@Nullable String> skipped =
                    context.getBean(AsyncWorker.class).work();
            assertThat(skipped.orTimeout(20, TimeUnit.SECONDS).join()).isNull();
            assertThat(elections.askedBy)
                    .hasSize(1)
                    .doesNotContain(Thread.currentThread().getName());
            elections.lead("leader");
            assertThat(context.getBean(AsyncWorker.class)
                            .work()
                            .orTimeout(20, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo("async");
        }
    }

    @Test
    void aFollowerOpensNoTransaction() {
        try (AnnotationConfigApplicationContext context = started(Transactions.class, TransactionalWorker.class)) {
            TransactionalWorker worker = context.getBean(TransactionalWorker.class);
            CountingTransactions transactions = context.getBean(CountingTransactions.class);
            worker.work();
            assertThat(transactions.begun()).hasValue(0);
            elections.lead("leader");
            worker.work();
            assertThat(transactions.begun()).hasValue(1);
        }
    }

    @Test
    void anInterfaceProxyThatIsThereAlreadyIsGuardedToo() {
        try (AnnotationConfigApplicationContext context =
                started(InterfaceTransactions.class, TransactionalImplementation.class)) {
            Work work = context.getBean(Work.class);
            CountingTransactions transactions = context.getBean(CountingTransactions.class);
            assertThat(AopUtils.isJdkDynamicProxy(work)).isTrue();
            assertThat(work.work()).isNull();
            assertThat(transactions.begun()).hasValue(0);
            elections.lead("leader");
            assertThat(work.work()).isEqualTo("worked");
            assertThat(transactions.begun()).hasValue(1);
        }
    }

    private AnnotationConfigApplicationContext started(Class<?>... beans) {
        AnnotationConfigApplicationContext context = elections.context(beans);
        context.refresh();
        return context;
    }

    interface Work {
        @Nullable
        String work();
    }

    interface AnnotatedWork {
        @OnLeader
        @Nullable
        String work();
    }

    static class Worker {
        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }

    static class Implementation implements Work {
        @Override
        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        @OnLeader("scoped")
        public @Nullable String work() {
            return "scoped";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class Ticker {

        private final CountDownLatch ticks = new CountDownLatch(20);
        private final CountDownLatch guarded = new CountDownLatch(1);

        CountDownLatch ticks() {
            return ticks;
        }

        CountDownLatch guarded() {
            return guarded;
        }

        @Scheduled(fixedDelay = 1)
        void tick() {
            ticks.countDown();
        }

        @Scheduled(fixedDelay = 1)
        @OnLeader
        void guardedTick() {
            guarded.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncSupport {}

    static class AsyncWorker {
        @Async
        @OnLeader
        public CompletableFuture<@Nullable String> work() {
            return CompletableFuture.completedFuture("async");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {
        @Bean
        CountingTransactions transactionManager() {
            return new CountingTransactions();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = false)
    static class InterfaceTransactions extends Transactions {}

    static class TransactionalImplementation implements Work {
        @Override
        @Transactional
        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }

    static class TransactionalWorker {
        @Transactional
        @OnLeader
        public void work() {}
    }

    @SuppressWarnings("serial")
    static class CountingTransactions extends AbstractPlatformTransactionManager {

        private final transient AtomicInteger begun = new AtomicInteger();

        AtomicInteger begun() {
            return begun;
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            begun.incrementAndGet();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
