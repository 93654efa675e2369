package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** The lock among the other proxies that Spring makes. */
class LockedProxyTest {

    private static final List<String> log = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();

    LockedProxyTest() {
        log.clear();
    }

    /** Whether the current thread holds the lock of a {@link Locked} call. */
    private static String held(PaxosLeaseLockRegistry registry) {
        return registry.obtain("k").isHeldByCurrentThread() ? "locked" : "not locked";
    }

    @ParameterizedTest
    @ValueSource(classes = {Transactions.class, InterfaceTransactions.class})
    void aTransactionBeginsAndEndsUnderTheLock(Class<?> transactions) {
        runner.withUserConfiguration(transactions).withBean(Transfer.class).run(context -> {
            context.getBean(Work.class).work("k");
            assertThat(log).containsExactly("begin: locked", "work", "commit: locked");
            assertThat(held(context.getBean(PaxosLeaseLockRegistry.class))).isEqualTo("not locked");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.aop.auto=true", "spring.aop.auto=false", "spring.aop.proxy-target-class=false"})
    void theLockDoesNotDependOnSpringsProxySettings(String setting) {
        runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues(setting)
                .withBean(Plain.class)
                .run(context -> {
                    Plain bean = context.getBean(Plain.class);
                    assertThat(AopUtils.isCglibProxy(bean)).isTrue();
                    assertThat(bean.work()).isEqualTo("k");
                });
    }

    @Test
    void anAsyncMethodIsLockedInTheWorkerThread() {
        AtomicReference<@Nullable Thread> worker = new AtomicReference<>();
        runner.withUserConfiguration(AsyncSupport.class)
                .withBean(Worker.class, () -> new Worker(worker))
                .run(context -> {
                    context.getBean(Worker.class).work();
                    await().until(() -> worker.get() != null);
                    assertThat(worker.get()).isNotSameAs(Thread.currentThread());
                });
    }

    @Test
    void aFollowerTakesNoLock() {
        runner.withBean(Leading.class)
                .withPropertyValues("paxoslease.roles.leader.eligible=false")
                .run(context -> {
                    context.getBean(Leading.class).work();
                    assertThat(log).isEmpty();
                    assertThat(context.getBean(PaxosLease.class).monitor().status("lock:k"))
                            .isEmpty();
                });
        runner.withBean(Leading.class).run(context -> {
            await().until(() -> context.getBean(LeaderElections.class).isLeader("leader"));
            context.getBean(Leading.class).work();
            assertThat(log).containsExactly("k");
        });
    }

    @Test
    void aScopedBeanIsLocked() {
        runner.withUserConfiguration(Scoped.class)
                .run(context -> assertThat(context.getBean(Scoped.class).work()).isEqualTo("k"));
    }

    @Test
    void anAnnotationOfOnesOwnMeansTheSame() {
        runner.withBean(Composed.class)
                .run(context ->
                        assertThat(context.getBean(Composed.class).work()).isEqualTo("report"));
    }

    @Test
    void aCallWithinTheObjectIsNotLocked() {
        runner.withBean(Plain.class).run(context -> assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> context.getBean(Plain.class).around())
                .withMessageContaining("call the method through its bean"));
    }

    /** As many classes as beans, however often an application, or the contexts of its tests, start. */
    @Test
    void contextsHaveOneProxyClassOfABean() {
        Set<Class<?>> classes = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            runner.withBean(Plain.class).withBean(Leading.class).run(context -> {
                classes.add(context.getBean(Plain.class).getClass());
                classes.add(context.getBean(Leading.class).getClass());
            });
        }
        assertThat(classes).hasSize(2);
    }

    interface Work {
        void work(String key);
    }

    static class Transfer implements Work {
        @Override
        @Transactional
        @Locked(key = "#key")
        public void work(String key) {
            log.add("work");
        }
    }

    static class Plain {
        @Locked("k")
        public String work() {
            return LockedCall.current().key();
        }

        public String around() {
            return work();
        }
    }

    static class Worker {

        private final AtomicReference<@Nullable Thread> worker;

        Worker(AtomicReference<@Nullable Thread> worker) {
            this.worker = worker;
        }

        @Async
        @Locked("k")
        public void work() {
            if (LockedCall.current().isHeld()) {
                worker.set(Thread.currentThread());
            }
        }
    }

    static class Leading {
        @OnLeader
        @Locked("k")
        public void work() {
            log.add(LockedCall.current().key());
        }
    }

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    @Component
    static class Scoped {
        @Locked("k")
        public String work() {
            return LockedCall.current().key();
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Locked("report")
    @interface ReportLock {}

    static class Composed {
        @ReportLock
        public String work() {
            return LockedCall.current().key();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncSupport {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {
        @Bean
        RecordedTransactions transactionManager(PaxosLeaseLockRegistry registry) {
            return new RecordedTransactions(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = false)
    static class InterfaceTransactions extends Transactions {}

    @SuppressWarnings("serial")
    static class RecordedTransactions extends AbstractPlatformTransactionManager {

        private final transient PaxosLeaseLockRegistry registry;

        RecordedTransactions(PaxosLeaseLockRegistry registry) {
            this.registry = registry;
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            log.add("begin: " + held(registry));
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            log.add("commit: " + held(registry));
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
