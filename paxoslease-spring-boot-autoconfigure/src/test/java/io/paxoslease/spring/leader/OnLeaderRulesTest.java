package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.PackagePrivateTask;
import io.paxoslease.spring.proxy.SkippedCalls;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/** An application whose methods cannot be guarded must not start. */
class OnLeaderRulesTest {

    private static final String ME = OnLeaderRulesTest.class.getName();

    static Stream<Arguments> misuses() {
        return Stream.of(
                Arguments.of(
                        PrimitiveReturn.class,
                        "The @OnLeader method " + ME
                                + "$PrimitiveReturn.count() returns int, and no value of that type can mean that the call was skipped.",
                        "Return void, or Integer, which is null on a follower; or let the call fail there, with otherwise = FAIL."),
                Arguments.of(
                        FinalMethod.class,
                        "The @OnLeader method " + ME
                                + "$FinalMethod.run() is final, so the proxy that makes the check cannot override it.",
                        "Remove 'final' (in Kotlin: add 'open')."),
                Arguments.of(
                        PrivateMethod.class,
                        "The @OnLeader method " + ME
                                + "$PrivateMethod.run() is private, and calls of private methods cannot be intercepted.",
                        "Make it public, protected or package-private, and call it from another bean."),
                Arguments.of(
                        StaticMethod.class,
                        "The @OnLeader method " + ME
                                + "$StaticMethod.run() is static, and calls of static methods cannot be intercepted.",
                        "Make it an instance method."),
                Arguments.of(
                        FinalClass.class,
                        "The @OnLeader method " + ME
                                + "$FinalClass.run() belongs to a final class, which cannot be proxied.",
                        "Remove 'final' from " + ME
                                + "$FinalClass (a record: make it a class; in Kotlin: add 'open')."),
                Arguments.of(
                        FactoryMethod.class,
                        "The @OnLeader method " + ME
                                + "$FactoryMethod.text() is a @Bean method, and a follower would get no bean from it.",
                        "Put @OnLeader on the bean's class, or on those of its methods that do the leader's work. On a @Bean"
                                + " method it is for beans that are started and stopped: let the method declare a return type"
                                + " that is a Lifecycle."),
                // ShedLock 350 and 261 tell of tasks whose locks were never taken.
                Arguments.of(
                        OwnTask.class,
                        "The @OnLeader method " + ME
                                + "$OwnTask.run() is called by a task that its own class schedules in configureTasks(), on the object itself and around the proxy.",
                        "Put @Scheduled on the method; or move it to another bean, and let the task call that bean."),
                Arguments.of(
                        InheritedTask.class,
                        "The @OnLeader method " + ME
                                + "$InheritedTask.run() is called by a task that its own class schedules in configureTasks(), on the object itself and around the proxy.",
                        "Put @Scheduled on the method; or move it to another bean, and let the task call that bean."),
                Arguments.of(
                        TaskOfSuperclass.class,
                        "The @OnLeader method " + ME
                                + "$Guarded.run() is called by a task that its own class schedules in configureTasks(), on the object itself and around the proxy.",
                        "Put @Scheduled on the method; or move it to another bean, and let the task call that bean."),
                Arguments.of(
                        TaskOfInterface.class,
                        "The @OnLeader method " + ME
                                + "$TaskOfInterface.run() is called by a task that its own class schedules in configureTasks(), on the object itself and around the proxy.",
                        "Put @Scheduled on the method; or move it to another bean, and let the task call that bean."),
                Arguments.of(
                        GenericTask.class,
                        "The @OnLeader method " + ME
                                + "$GenericTask.run() is called by a task that its own class schedules in configureTasks(), on the object itself and around the proxy.",
                        "Put @Scheduled on the method; or move it to another bean, and let the task call that bean."),
                Arguments.of(
                        CovariantTask.class,
                        "The @OnLeader method " + ME
                                + "$CovariantTask.run() is called by a task that its own class schedules in configureTasks(), on the object itself and around the proxy.",
                        "Put @Scheduled on the method; or move it to another bean, and let the task call that bean."),
                Arguments.of(
                        EmptyRole.class,
                        "The @OnLeader method " + ME + "$EmptyRole.run() names an empty role.",
                        "Name a role, or leave it out for the role 'leader'."),
                Arguments.of(
                        SpecialFuture.class,
                        "The @OnLeader method " + ME
                                + "$SpecialFuture.run() returns java.util.concurrent.FutureTask, and no value of that type can mean that the call was skipped.",
                        "Return CompletableFuture, or a reactive type that can be empty, such as Mono or Flux; or let the call fail"
                                + " on followers, with otherwise = FAIL."));
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void misuseStopsTheApplicationAndSaysWhatToChange(Class<?> bean, String description, String action) {
        assertThatThrownBy(() -> start(bean))
                .rootCause()
                .isInstanceOfSatisfying(AnnotationUsageException.class, failure -> {
                    assertThat(failure.description()).isEqualTo(description);
                    assertThat(failure.action()).isEqualTo(action);
                    assertThat(failure).hasMessage(description + " " + action);
                });
    }

    @ParameterizedTest
    @MethodSource("callbacks")
    void lifecycleCallbacksAreRefused(Class<?> bean) {
        assertThatThrownBy(() -> start(bean))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("is a lifecycle callback, which the container calls on every node");
    }

    static Stream<Class<?>> callbacks() {
        return Stream.of(
                AfterConstruction.class, BeforeDestruction.class, AfterProperties.class, StartedByTheContainer.class);
    }

    @Test
    void aTaskThatCallsTheBeanIsFine() {
        start(OwnBean.class);
    }

    @Test
    void aTaskThatCallsAnotherMethodOfTheSameNameIsFine() {
        start(TaskOfPrivateMethod.class);
        start(TaskOfOtherPackage.class);
    }

    @Test
    void everyPrimitiveIsRefused() {
        for (Class<?> type : new Class<?>[] {
            boolean.class, byte.class, short.class, char.class, int.class, long.class, float.class, double.class
        }) {
            assertThat(SkippedCalls.valueFor(type)).as(type.getName()).isNull();
        }
    }

    @Test
    void futuresThatCannotBeMadeHereAreRefused() {
        assertThat(SkippedCalls.valueFor(ScheduledFuture.class)).isNull();
        assertThat(SkippedCalls.valueFor(OwnFuture.class)).isNull();
    }

    @Test
    void aMissingPlaceholderStopsTheApplication() {
        assertThatThrownBy(() -> start(MissingPlaceholder.class, PropertySourcesPlaceholderConfigurer.class))
                .rootCause()
                .hasMessageContaining("Could not resolve placeholder 'no.such.property'");
    }

    @Test
    void anInheritedFinalMethodIsRefusedToo() {
        assertThatThrownBy(() -> start(InheritsFinalMethod.class))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("FinalMethod.run() is final");
    }

    @Test
    void withoutElectionsAnnotatedBeansAreRefused() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(OnLeaderRefusalAutoConfiguration.class, Fine.class);
            assertThatThrownBy(context::refresh)
                    .rootCause()
                    .isInstanceOf(AnnotationUsageException.class)
                    .hasMessageContaining("Fine would run on every node: leader election is off.")
                    .hasMessageContaining("Set paxoslease.enabled=true");
        }
    }

    @Test
    void withoutElectionsOtherBeansAreFine() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(OnLeaderRefusalAutoConfiguration.class, Object.class)) {
            assertThat(context.isActive()).isTrue();
        }
    }

    @Test
    void anUnguardedMethodNeverRuns() {
        StubbedElections elections = new StubbedElections();
        OnLeaderInterceptor interceptor = new OnLeaderInterceptor(elections, () -> null, text -> text);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> interceptor.invoke(new FixedInvocation(Object.class.getMethod("toString"))));
    }

    private static void start(Class<?>... beans) {
        try (AnnotationConfigApplicationContext context = new StubbedElections().context(beans)) {
            context.refresh();
        }
    }

    static class Fine {
        @OnLeader
        void run() {}
    }

    static class PrimitiveReturn {
        @OnLeader
        int count() {
            return 1;
        }
    }

    static class FinalMethod {
        @OnLeader
        final void run() {}
    }

    static class InheritsFinalMethod extends FinalMethod {}

    static class PrivateMethod {
        @OnLeader
        @SuppressWarnings("UnusedMethod")
        private void run() {}
    }

    static class StaticMethod {
        @OnLeader
        static void run() {}
    }

    static final class FinalClass {
        @OnLeader
        void run() {}
    }

    static class OwnTask implements SchedulingConfigurer {
        @OnLeader
        void run() {}

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
        }
    }

    abstract static class Task implements SchedulingConfigurer {
        abstract void run();

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(
                    () -> {
                        log("run");
                        run();
                    },
                    Duration.ofHours(1));
        }

        void log(String text) {
            LoggerFactory.getLogger(getClass()).debug(text);
        }
    }

    static class InheritedTask extends Task {
        @Override
        @OnLeader
        void run() {}
    }

    static class Guarded {
        @OnLeader
        public void run() {}
    }

    static class TaskOfSuperclass extends Guarded implements SchedulingConfigurer {
        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
        }
    }

    interface Job {
        void run();
    }

    interface JobTask extends Job, SchedulingConfigurer {
        @Override
        default void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
        }
    }

    interface NamedJobTask extends JobTask {}

    static class TaskOfInterface implements NamedJobTask {
        @Override
        @OnLeader
        public void run() {}
    }

    interface Answering<T> {
        @Nullable
        T run();
    }

    abstract static class AnsweringTask<T> implements Answering<T>, SchedulingConfigurer {
        @Override
        public abstract @Nullable T run();

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
        }
    }

    static class GenericTask extends AnsweringTask<Void> {
        @Override
        @OnLeader
        public @Nullable Void run() {
            return null;
        }
    }

    abstract static class InterfacesTask implements Answering<Object>, SchedulingConfigurer {
        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(() -> run(), Duration.ofHours(1));
        }
    }

    static class CovariantTask extends InterfacesTask {
        @Override
        @OnLeader
        public String run() {
            return "";
        }
    }

    static class PrivateTask implements SchedulingConfigurer {
        private void run() {}

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
            registrar.addFixedDelayTask(() -> run(), Duration.ofHours(1));
        }
    }

    static class TaskOfPrivateMethod extends PrivateTask {
        @OnLeader
        public void run() {}
    }

    static class TaskOfOtherPackage extends PackagePrivateTask {
        @OnLeader
        public void run() {}
    }

    static class OwnBean implements SchedulingConfigurer {

        private final ObjectProvider<OwnBean> bean;
        private final OwnBean other;

        OwnBean(ObjectProvider<OwnBean> bean, @Lazy OwnBean other) {
            this.bean = bean;
            this.other = other;
        }

        @OnLeader
        void run() {}

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(() -> bean.getObject().run(), Duration.ofHours(1));
            registrar.addFixedDelayTask(other::run, Duration.ofHours(1));
            registrar.addFixedDelayTask(() -> other.run(), Duration.ofHours(1));
        }
    }

    static class EmptyRole {
        @OnLeader(" ")
        void run() {}
    }

    static class MissingPlaceholder {
        @OnLeader("${no.such.property}")
        void run() {}
    }

    static class SpecialFuture {
        @OnLeader
        FutureTask<String> run() {
            return new FutureTask<>(() -> "");
        }
    }

    static class OwnFuture extends CompletableFuture<String> {}

    @Configuration(proxyBeanMethods = false)
    static class FactoryMethod {
        @Bean
        @OnLeader
        String text() {
            return "";
        }
    }

    static class AfterConstruction {
        @PostConstruct
        @OnLeader
        void run() {}
    }

    static class BeforeDestruction {
        @PreDestroy
        @OnLeader
        void run() {}
    }

    static class AfterProperties implements InitializingBean {
        @Override
        @OnLeader
        public void afterPropertiesSet() {}
    }

    static class StartedByTheContainer implements SmartLifecycle {
        @Override
        @OnLeader
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
