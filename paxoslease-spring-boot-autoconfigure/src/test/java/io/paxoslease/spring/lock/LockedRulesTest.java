package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import jakarta.annotation.PostConstruct;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import reactor.core.publisher.Mono;

/** What stops the application from starting. */
class LockedRulesTest {

    private static final String ME = LockedRulesTest.class.getName();

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();

    static Arguments[] misuses() {
        return new Arguments[] {
            Arguments.of(PrivateMethod.class, "PrivateMethod.run() is private, and calls of private methods"),
            Arguments.of(FinalMethod.class, "FinalMethod.run() is final, so the proxy"),
            Arguments.of(StaticMethod.class, "StaticMethod.run() is static, and calls of static methods"),
            Arguments.of(FinalClass.class, "FinalClass.run() belongs to a final class"),
            Arguments.of(OwnTask.class, "OwnTask.run() is called by a task that its own class schedules"),
            Arguments.of(
                    TaskOfInterface.class, "TaskOfInterface.run() is called by a task that its own class schedules"),
            Arguments.of(
                    FactoryMethod.class, "FactoryMethod.text() is a @Bean method, which the container calls once."),
            Arguments.of(Callback.class, "Callback.run() is a lifecycle callback, which the container calls around"),
            Arguments.of(
                    Future.class,
                    "Future.run() returns java.util.concurrent.CompletableFuture, and its work would go on after the lock has been released. Put @Locked on a method that returns when the work is done. Or take a lease"),
            Arguments.of(
                    Reactive.class, "Reactive.run() returns reactor.core.publisher.Mono, and its work would go on"),
            Arguments.of(SkippedPrimitive.class, "SkippedPrimitive.run() returns int, and no value of that type"),
            Arguments.of(NoName.class, "NoName.run() has no name and no key. Name the lock, or give the key"),
            Arguments.of(Unreadable.class, "Unreadable.run() has the key '#id +', which is no Spring expression: "),
            Arguments.of(Unknown.class, "Unknown.run() has the key '#nr', and there is no parameter #nr, but ["),
            Arguments.of(
                    UnknownInName.class,
                    "UnknownInName.run() has the name '#nr', and there is no parameter #nr, but ["),
            Arguments.of(
                    UnreadableName.class,
                    "UnreadableName.run() has the name 'x-#{#id', which is no Spring expression: "),
            Arguments.of(
                    NoSuchBean.class,
                    "NoSuchBean.run() has '#{@none.name}', which cannot be resolved: the expression '#{@none.name}' failed: "),
            Arguments.of(NoText.class, "NoText.run() has '#{new Object()}', which cannot be resolved: the value of"),
            Arguments.of(EmptyName.class, "EmptyName.run() has no name and no key. Name the lock, or give the key"),
            Arguments.of(
                    NullName.class,
                    "NullName.run() has '#{systemProperties['no.such']}', which cannot be resolved: the value of '#{systemProperties['no.such']}' is null"),
            Arguments.of(NoDuration.class, "NoDuration.run() has waitFor = 'soon', which is no duration. Write it as"),
            Arguments.of(Negative.class, "Negative.run() has waitFor = '-1s', which is negative. Use 0s to try once."),
            Arguments.of(NoPermits.class, "NoPermits.run() has 0 permits. Use 1 to 1000; 1 is a lock."),
        };
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void misuseStopsTheApplicationAndSaysWhatToChange(Class<?> bean, String message) {
        runner.withUserConfiguration(bean).run(context -> assertThat(context)
                .getFailure()
                .cause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageStartingWith("The @Locked method " + ME + "$" + message));
    }

    @Test
    void aMissingPropertyStopsTheApplication() {
        runner.withUserConfiguration(MissingProperty.class).run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .hasMessageContaining("Could not resolve placeholder 'no.such.property'")
                .satisfies(missing -> assertThat(context.getStartupFailure())
                        .cause()
                        .isInstanceOf(AnnotationUsageException.class)
                        .hasMessageContaining(
                                "MissingProperty.run() has '${no.such.property}', which cannot be resolved")));
    }

    @Test
    void withoutANodeTheApplicationDoesNotStart() {
        runner.withPropertyValues("paxoslease.enabled=false")
                .withUserConfiguration(Proper.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(AnnotationUsageException.class)
                        .hasMessageContaining(
                                "would run without their locks: this application has no PaxosLease node."));
        runner.withPropertyValues("paxoslease.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aBeanThatIsCreatedTooEarlyIsRefused() {
        runner.withUserConfiguration(Proper.class, TooEarly.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("the bean is created before it can be guarded."));
    }

    static class PrivateMethod {
        @Locked("k")
        @SuppressWarnings("UnusedMethod")
        private void run() {}
    }

    static class FinalMethod {
        @Locked("k")
        final void run() {}
    }

    static class StaticMethod {
        @Locked("k")
        static void run() {}
    }

    static class OwnTask implements SchedulingConfigurer {
        @Locked("k")
        public void run() {}

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
        }
    }

    interface Task extends SchedulingConfigurer {
        void run();

        @Override
        default void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
        }
    }

    static class TaskOfInterface implements Task {
        @Override
        @Locked("k")
        public void run() {}
    }

    static final class FinalClass {
        @Locked("k")
        void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class FactoryMethod {
        @Bean
        @Locked("k")
        String text() {
            return "text";
        }
    }

    static class Callback {
        @PostConstruct
        @Locked("k")
        void run() {}
    }

    static class Future {
        @Locked("k")
        CompletableFuture<@Nullable Void> run() {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class Reactive {
        @Locked("k")
        Mono<String> run() {
            return Mono.empty();
        }
    }

    static class SkippedPrimitive {
        @Locked(name = "k", otherwise = Locked.Otherwise.SKIP)
        int run() {
            return 1;
        }
    }

    static class NoName {
        @Locked
        void run() {}
    }

    static class Unreadable {
        @Locked(key = "#id +")
        void run(String id) {}
    }

    static class Unknown {
        @Locked(key = "#nr")
        void run(String id) {}
    }

    static class MissingProperty {
        @Locked("${no.such.property}")
        void run() {}
    }

    static class UnknownInName {
        @Locked("x-#{#nr}")
        void run(String id) {}
    }

    static class UnreadableName {
        @Locked("x-#{#id")
        void run(String id) {}
    }

    static class NoSuchBean {
        @Locked("x-#{@none.name}")
        void run() {}
    }

    static class NoText {
        @Locked("#{new Object()}")
        void run() {}
    }

    static class EmptyName {
        @Locked("#{''}")
        void run() {}
    }

    static class NullName {
        @Locked("report-#{systemProperties['no.such']}")
        void run() {}
    }

    static class NoDuration {
        @Locked(name = "k", waitFor = "soon")
        void run() {}
    }

    static class Negative {
        @Locked(name = "k", waitFor = "-1s")
        void run() {}
    }

    static class NoPermits {
        @Locked(name = "k", permits = 0)
        void run() {}
    }

    static class Proper {
        @Locked("k")
        void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {
        @Bean
        static EarlyPostProcessor needsTheBean(Proper bean) {
            return new EarlyPostProcessor();
        }
    }

    static class EarlyPostProcessor implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return 0;
        }
    }
}
