package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/** Beans that make beans, and others that the container asks something on every node. */
class OnLeaderFactoryBeanTest {

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
    void theProductOfAFactoryIsGuarded() {
        try (AnnotationConfigApplicationContext context = started(JobFactory.class)) {
            Job job = context.getBean(Job.class);
            assertThat(job.work()).isNull();
            elections.lead("leader");
            assertThat(job.work()).isEqualTo("worked");
        }
    }

    @Test
    void onTheClassOfAFactoryItsOwnWorkIsGuardedAndTheProductIsMadeOnEveryNode() {
        try (AnnotationConfigApplicationContext context = started(AnnotatedFactory.class)) {
            assertThat(context.getBean(Thing.class)).isNotNull();
            AnnotatedFactory factory = context.getBean(AnnotatedFactory.class);
            assertThat(factory.work()).isNull();
            assertThat(elections.calls).containsExactly("refused");
        }
    }

    @Test
    void aFactoryThatIsStartedAndStoppedIsManagedAndItsProductIsNot() {
        PaxosLeaseTestSupport.runner()
                .withUserConfiguration(LifecycleFactories.class)
                .run(context -> {
                    LifecycleFactory factory = context.getBean(LifecycleFactory.class);
                    await().until(factory::isRunning);
                    assertThat(context.getBean(Thing.class)).isNotNull();
                    context.getBean(LeaderElections.class).stop();
                    assertThat(factory.isRunning()).isFalse();
                });
    }

    @Test
    void whatTheContainerAsksOnEveryNodeIsExemptOnAClassAndRefusedOnAMethod() {
        try (AnnotationConfigApplicationContext context = started(Schedules.class, Support.class)) {
            Schedules bean = context.getBean(Schedules.class);
            assertThat(bean.getOrder()).isEqualTo(3);
            elections.lead("leader");
            assertThat(bean.configured()).hasValue(1);
        }
        assertThatThrownBy(() -> started(OrderedForTheLeader.class))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("getOrder() is a lifecycle callback, which the container calls on every node");
    }

    static class Job {
        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }

    record Thing() {}

    static class JobFactory implements FactoryBean<Job> {
        @Override
        public Job getObject() {
            return new Job();
        }

        @Override
        public Class<?> getObjectType() {
            return Job.class;
        }
    }

    @OnLeader
    static class AnnotatedFactory implements FactoryBean<Thing> {
        @Override
        public Thing getObject() {
            return new Thing();
        }

        @Override
        public Class<?> getObjectType() {
            return Thing.class;
        }

        public @Nullable String work() {
            return "worked";
        }
    }

    static class LifecycleFactory extends SwitchedBean implements FactoryBean<Thing>, SmartLifecycle {

        @Override
        public Thing getObject() {
            return new Thing();
        }

        @Override
        public Class<?> getObjectType() {
            return Thing.class;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LifecycleFactories {
        @Bean
        @OnLeader
        LifecycleFactory factory() {
            return new LifecycleFactory();
        }

        @Bean
        String user(Thing thing) {
            return thing.toString();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Support {}

    @OnLeader
    static class Schedules implements SchedulingConfigurer, Ordered {

        private final AtomicInteger configured = new AtomicInteger();

        AtomicInteger configured() {
            return configured;
        }

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            configured.incrementAndGet();
        }

        @Override
        public int getOrder() {
            return 3;
        }
    }

    static class OrderedForTheLeader implements Ordered {
        @Override
        @OnLeader(otherwise = OnLeader.Otherwise.FAIL)
        public int getOrder() {
            return 0;
        }
    }
}
