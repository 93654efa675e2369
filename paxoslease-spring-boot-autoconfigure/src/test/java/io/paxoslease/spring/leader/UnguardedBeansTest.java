package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.lock.Locked;
import io.paxoslease.spring.lock.LockedCall;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.PriorityOrdered;
import org.springframework.stereotype.Component;

/** Annotated beans that their post-processors do not see: they must not run. */
class UnguardedBeansTest {

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();

    @ParameterizedTest
    @ValueSource(classes = {FactoryPostProcessor.class, FirstFactoryPostProcessor.class, RegistryPostProcessor.class})
    void aBeanThatAPostProcessorOfTheFactoryCreatesIsRefused(Class<?> postProcessor) {
        runner.withUserConfiguration(Jobs.class, postProcessor).run(context -> assertRefused(context)
                .hasMessageContaining("The @OnLeader methods of the bean 'job' of " + Job.class.getName())
                .hasMessageContaining("the bean is created before it can be guarded.")
                .hasMessageContaining("Find the BeanFactoryPostProcessor or BeanPostProcessor that needs the bean"));
    }

    @Test
    void aBeanThatAnInitializerCreatesIsRefused() {
        runner.withUserConfiguration(Jobs.class)
                .withInitializer(context -> context.addBeanFactoryPostProcessor(beans -> beans.getBean("job")))
                .run(context -> assertRefused(context).hasMessageContaining("created before it can be guarded"));
    }

    @Test
    void anObjectThatIsRegisteredIsRefused() {
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("job", new Job()))
                .run(context -> assertRefused(context)
                        .hasMessageContaining("the bean is registered as an object, by registerSingleton"));
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("locking", new Locking()))
                .run(context -> assertRefused(context, AnnotationUsageException.class)
                        .hasMessageContaining("the bean is registered as an object, by registerSingleton"));
        runner.withBean(LateRegistration.class).run(context -> assertRefused(context)
                .hasMessageContaining("the bean is registered as an object, by registerSingleton"));
    }

    @Test
    void anObjectThatIsInitializedAndRegisteredIsGuarded() {
        runner.withBean(Initialization.class).run(context -> {
            context.getBean(LeaderElections.class).stop();
            assertThat(context.getBean(Job.class).work()).isNull();
            assertThat(context.getBean(Locking.class).work()).isEqualTo("k");
        });
    }

    @Test
    void aLifecycleBeanIsRefusedBeforeItIsStarted() {
        AtomicBoolean started = new AtomicBoolean();
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("consumer", new Consumer(started)))
                .run(context -> assertRefused(context).hasMessageContaining("bean 'consumer'"));
        assertThat(started).isFalse();
    }

    /** Test doubles replace definitions in this way; they stand for the bean, and need not be guarded. */
    @Test
    void anObjectInThePlaceOfADefinedBeanIsAccepted() {
        runner.withUserConfiguration(Jobs.class)
                .withBean("double", BeanFactoryPostProcessor.class, () -> beans -> register(beans, "job", new Job()))
                .run(context -> assertThat(context.getBean(Job.class).work()).isEqualTo("worked"));
    }

    /** They are created when they are needed, and a role that no bean names is not contested. */
    @Test
    void aLifecycleBeanThatIsNoSingletonIsRefusedBeforeItIsCreated() {
        for (Class<?> bean : List.of(PrototypeConsumer.class, SessionConsumer.class, ScopedFactories.class)) {
            runner.withUserConfiguration(bean)
                    .withInitializer(
                            context -> context.getBeanFactory().registerScope("session", new SimpleThreadScope()))
                    .run(context -> assertRefused(context).hasMessageContaining("but it is not a singleton."));
        }
    }

    /** As spring-cloud-commons 118 tells of other annotations: a child context has its own post-processors. */
    @Test
    void aChildWithoutTheAutoConfigurationIsRefused() {
        runner.withBean("job", Job.class).run(parent -> {
            ConfigurableApplicationContext source = parent.getSourceApplicationContext();
            assertThatThrownBy(() -> childOf(source, Job.class))
                    .isInstanceOf(AnnotationUsageException.class)
                    .hasMessageContaining("is not configured automatically. Put @EnableAutoConfiguration");
            assertThatThrownBy(() -> childOf(source, Locking.class)).isInstanceOf(AnnotationUsageException.class);
            assertThatThrownBy(() -> childOf(childOf(source, Object.class), Job.class))
                    .isInstanceOf(AnnotationUsageException.class);
            try (ConfigurableApplicationContext child = childOf(source)) {
                child.getBeanFactory().registerSingleton("shared", parent.getBean(Job.class));
                child.refresh();
                assertThat(child.isActive()).isTrue();
            }
        });
    }

    @Test
    void aParentWithoutTheAutoConfigurationIsRefused() {
        try (ConfigurableApplicationContext parent = new AnnotationConfigApplicationContext(Job.class)) {
            runner.withParent(parent).run(context -> assertRefused(context)
                    .hasMessageContaining("unguardedBeansTest.Job' of")
                    .hasMessageContaining("is not configured automatically"));
        }
        try (ConfigurableApplicationContext parent = new AnnotationConfigApplicationContext(Object.class)) {
            runner.withParent(parent).run(context -> assertThat(context).hasNotFailed());
        }
    }

    private static AnnotationConfigApplicationContext childOf(ConfigurableApplicationContext parent) {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(parent);
        return child;
    }

    private static ConfigurableApplicationContext childOf(ConfigurableApplicationContext parent, Class<?> bean) {
        AnnotationConfigApplicationContext child = childOf(parent);
        child.register(bean);
        child.refresh();
        return child;
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(AssertableApplicationContext context) {
        return assertRefused(context, AnnotationUsageException.class);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            AssertableApplicationContext context, Class<? extends Throwable> type) {
        Throwable failure = context.getStartupFailure();
        return assertThat(failure == null ? null : NestedExceptionUtils.getMostSpecificCause(failure))
                .isInstanceOf(type);
    }

    private static void register(ConfigurableListableBeanFactory beans, String name, Object bean) {
        beans.registerSingleton(name, bean);
    }

    static class Job {
        @OnLeader
        @Nullable
        String work() {
            return "worked";
        }
    }

    static class Locking {
        @Locked("k")
        String work() {
            return LockedCall.current().key();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jobs {
        @Bean
        Job job() {
            return new Job();
        }
    }

    static class FactoryPostProcessor implements BeanFactoryPostProcessor {
        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
            beans.getBean("job");
        }
    }

    static class FirstFactoryPostProcessor extends FactoryPostProcessor implements PriorityOrdered {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    static class RegistryPostProcessor extends FactoryPostProcessor implements BeanDefinitionRegistryPostProcessor {
        @Override
        public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
            postProcessBeanFactory((ConfigurableListableBeanFactory) registry);
        }
    }

    static class LateRegistration implements SmartInitializingSingleton {

        private final ConfigurableListableBeanFactory beans;

        LateRegistration(ConfigurableListableBeanFactory beans) {
            this.beans = beans;
        }

        @Override
        public void afterSingletonsInstantiated() {
            beans.registerSingleton("late", new Job());
        }
    }

    static class Initialization implements SmartInitializingSingleton {

        private final ConfigurableListableBeanFactory beans;

        Initialization(ConfigurableListableBeanFactory beans) {
            this.beans = beans;
        }

        @Override
        public void afterSingletonsInstantiated() {
            beans.registerSingleton("late", beans.initializeBean(new Job(), "late"));
            beans.registerSingleton("locking", beans.initializeBean(new Locking(), "locking"));
        }
    }

    @OnLeader
    @Scope("prototype")
    @Component
    static class PrototypeConsumer extends SwitchedBean implements SmartLifecycle {}

    @OnLeader
    @Scope(scopeName = "session", proxyMode = ScopedProxyMode.TARGET_CLASS)
    @Component
    static class SessionConsumer extends SwitchedBean implements SmartLifecycle {}

    static class Plain extends SwitchedBean implements SmartLifecycle {}

    @Configuration(proxyBeanMethods = false)
    static class ScopedFactories {
        @Bean
        @OnLeader
        @Scope(scopeName = "session", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Plain consumer() {
            return new Plain();
        }
    }

    @OnLeader
    static class Consumer extends SwitchedBean implements SmartLifecycle {

        private final AtomicBoolean started;

        Consumer(AtomicBoolean started) {
            this.started = started;
        }

        @Override
        public void start() {
            started.set(true);
        }
    }
}
