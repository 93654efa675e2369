package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

/** Roles that are named by properties and beans. */
class RoleExpressionTest {

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withPropertyValues("app.role=billing")
            .withBean("tenant", Tenant.class);

    @Test
    void expressionsAreEvaluatedEverywhere() {
        runner.withBean(Jobs.class).withBean(Consumer.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            Jobs jobs = context.getBean(Jobs.class);
            assertThat(elections.roles())
                    .containsExactlyInAnyOrder("billing-blue", "granted-blue", "revoked-blue", "consumer-blue");
            await().until(() -> elections.isLeader("billing-blue"));
            assertThat(jobs.bill()).isEqualTo("billed");
            await().until(() -> jobs.grants() == 1);
            await().until(() -> context.getBean(Consumer.class).isRunning());
        });
    }

    /** A call must ask for the role that the application contests. */
    @Test
    void anExpressionIsEvaluatedOnce() {
        runner.withBean(Counted.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("role-1"));
            assertThat(context.getBean(Counted.class).run()).isEqualTo("ran");
            assertThat(elections.roles()).containsExactly("role-1");
        });
    }

    @Test
    void aSimpleValueNamesARole() {
        runner.withBean(SimpleRole.class).run(context -> assertThat(
                        context.getBean(LeaderElections.class).roles())
                .containsExactly("7-true-c-DAYS-00000000-0000-0001-0000-000000000002-2026-01-31"));
    }

    static Arguments[] misuses() {
        return new Arguments[] {
            Arguments.of(
                    NoProperty.class,
                    "NoProperty.run() has the role '${no.such.property}', which cannot be resolved: "),
            Arguments.of(
                    Argument.class,
                    "Argument.run() has the role '#{#tenant}', which cannot be resolved: the value of '#{#tenant}' is null"),
            Arguments.of(
                    ArgumentInText.class,
                    "ArgumentInText.run() has the role 'billing-#{#tenant}', which cannot be resolved: the value of '#{#tenant}' is null"),
            Arguments.of(
                    NoTextInText.class,
                    "NoTextInText.run() has the role 'billing-#{@tenant}', which cannot be resolved: the value of '#{@tenant}' is of"),
            Arguments.of(
                    NullInText.class,
                    "NullInText.run() has the role 'billing-#{@tenant.region}', which cannot be resolved: the value of"),
            Arguments.of(NoBean.class, "NoBean.run() has the role '#{@none.name}', which cannot be resolved: "),
            Arguments.of(
                    NoText.class, "NoText.run() has the role '#{@tenant}', which cannot be resolved: the value of"),
            Arguments.of(OfTimeZone.class, "the value of '#{new java.util.Date()}' is of java.util.Date, whose text"),
            Arguments.of(OfLanguage.class, "is of java.util.Locale, whose text need not be the same on every instance"),
            Arguments.of(OfMachine.class, "is of java.net.Inet4Address, whose text need not be the same on every"),
            Arguments.of(OfClass.class, "is of java.lang.Class, whose text need not be the same on every instance"),
            Arguments.of(Listener.class, "Listener.run() has the role '#{@none.name}', which cannot be resolved: "),
            Arguments.of(Lifecycle.class, "has the role '#{@none.name}', which cannot be resolved: "),
        };
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void aRoleWithoutAValueStopsTheApplication(Class<?> bean, String message) {
        runner.withUserConfiguration(bean)
                .run(context -> assertThat(context).getFailure().satisfies(failure -> assertThat(usage(failure))
                        .hasMessageContaining(message)));
    }

    private static @Nullable Throwable usage(Throwable failure) {
        Throwable each = failure;
        while (each != null && !(each instanceof AnnotationUsageException)) {
            each = each.getCause();
        }
        return each;
    }

    static class Tenant {

        private final AtomicInteger asked = new AtomicInteger();

        public String getName() {
            return "blue";
        }

        public @Nullable String getRegion() {
            return null;
        }

        public int next() {
            return asked.incrementAndGet();
        }
    }

    static class Jobs {

        private final AtomicInteger granted = new AtomicInteger();

        @OnLeader("${app.role}-#{@tenant.name}")
        @Nullable
        String bill() {
            return "billed";
        }

        @OnGranted("granted-#{@tenant.name}")
        void granted() {
            granted.incrementAndGet();
        }

        int grants() {
            return granted.get();
        }

        @OnRevoked("revoked-#{@tenant.name}")
        void revoked() {}
    }

    static class Counted {
        @OnLeader("role-#{@tenant.next()}")
        @Nullable
        String run() {
            return "ran";
        }
    }

    static class NoProperty {
        @OnLeader("${no.such.property}")
        void run() {}
    }

    static class Argument {
        @OnLeader("#{#tenant}")
        void run(String tenant) {}
    }

    static class ArgumentInText {
        @OnLeader("billing-#{#tenant}")
        void run(String tenant) {}
    }

    static class NoTextInText {
        @OnLeader("billing-#{@tenant}")
        void run() {}
    }

    static class NullInText {
        @OnGranted("billing-#{@tenant.region}")
        void run() {}
    }

    static class SimpleRole {
        @OnLeader("#{7}-#{true}-#{'c'.charAt(0)}-#{T(java.util.concurrent.TimeUnit).DAYS}-#{new java.util.UUID(1, 2)}"
                + "-#{T(java.time.LocalDate).of(2026, 1, 31)}")
        void run() {}
    }

    static class OfTimeZone {
        @OnLeader("#{new java.util.Date()}")
        void run() {}
    }

    static class OfLanguage {
        @OnLeader("#{T(java.util.Locale).GERMANY}")
        void run() {}
    }

    static class OfMachine {
        @OnLeader("x-#{T(java.net.InetAddress).getByAddress(new byte[] {127, 0, 0, 1})}")
        void run() {}
    }

    static class OfClass {
        @OnLeader("#{T(String)}")
        void run() {}
    }

    static class NoBean {
        @OnLeader("#{@none.name}")
        void run() {}
    }

    static class NoText {
        @OnLeader("#{@tenant}")
        void run() {}
    }

    static class Listener {
        @OnGranted("#{@none.name}")
        void run() {}
    }

    @OnLeader("#{@none.name}")
    static class Lifecycle extends Consumer {}

    @OnLeader("consumer-#{@tenant.name}")
    static class Consumer extends SwitchedBean implements SmartLifecycle {}
}
