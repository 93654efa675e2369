package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.Order;
import org.springframework.integration.leader.Candidate;

/** Methods that are notified of leadership, in applications that are cells of one. */
@ExtendWith(OutputCaptureExtension.class)
class LeadershipListenerTest {

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();

    @Test
    void grantsAndRevocationsOfTheRoleAreTold() {
        runner.withUserConfiguration(Listener.class)
                .withPropertyValues("app.role=billing")
                .run(context -> {
                    Listener listener = context.getBean(Listener.class);
                    await().until(() -> listener.log.size() == 3);
                    Leadership leadership = context.getBean(LeaderElections.class)
                            .leadership("billing")
                            .orElseThrow();
                    assertThat(listener.log)
                            .containsExactlyInAnyOrder(
                                    "granted",
                                    "granted leadership " + leadership.fencingToken(),
                                    "granted event LeadershipGrantedEvent[role=billing, fencingToken=%d]"
                                            .formatted(leadership.fencingToken()));
                    context.stop();
                    assertThat(listener.log.subList(3, 5))
                            .containsExactlyInAnyOrder(
                                    "revoked, leader: false", "revoked event of " + leadership.fencingToken());
                });
    }

    @Test
    void rolesOfListenersAreStoodForAndOtherRolesAreNotTold() {
        runner.withUserConfiguration(TwoRoles.class).run(context -> {
            TwoRoles listener = context.getBean(TwoRoles.class);
            await().until(() -> listener.log.size() == 2);
            assertThat(listener.log).containsExactlyInAnyOrder("a", "b");
            assertThat(context.getBean(LeaderElections.class).roles()).containsExactly("a", "b");
        });
    }

    @Test
    void withoutSpringIntegrationTheyAreToldTheSame() {
        runner.withUserConfiguration(TwoRoles.class)
                .withClassLoader(new FilteredClassLoader(Candidate.class))
                .run(context ->
                        await().until(() -> context.getBean(TwoRoles.class).log.size() == 2));
    }

    @Test
    void beansAreStartedBeforeAndStoppedBeforeListenersAreTold() {
        runner.withUserConfiguration(Ordered.class).run(context -> {
            List<String> log = context.getBean(Ordered.class).log;
            await().until(() -> log.size() == 2);
            context.stop();
            assertThat(log).containsExactly("bean started", "listener granted", "bean stopped", "listener revoked");
        });
    }

    @Test
    void aListenerThatThrowsChangesNothingAndTheOthersAreTold(CapturedOutput output) {
        runner.withUserConfiguration(Throwing.class).run(context -> {
            Throwing listeners = context.getBean(Throwing.class);
            await().until(() -> listeners.log.contains("granted"));
            LeaderElections elections = context.getBean(LeaderElections.class);
            assertThat(elections.isLeader("leader")).isTrue();
            context.stop();
            assertThat(listeners.log).containsExactly("granted", "revoked");
            assertThat(output)
                    .containsOnlyOnce("Throwing.throwsAtGrant() of LeadershipGrantedEvent[role=leader")
                    .containsOnlyOnce("Throwing.throwsAtRevocation() of LeadershipRevokedEvent[role=leader");
        });
    }

    @Test
    void anotherListenerThatThrowsChangesNothingEither(CapturedOutput output) {
        runner.withUserConfiguration(ThrowingPlainly.class).run(context -> {
            await().until(() -> output.getOut().contains("A listener of LeadershipGrantedEvent[role=leader"));
            assertThat(context.getBean(LeaderElections.class).isLeader("leader"))
                    .isTrue();
        });
    }

    @Test
    void listenersThatCannotBeToldAreRefused() {
        assertRefused(Both.class, "is both an @OnGranted and an @OnRevoked method");
        assertRefused(WrongParameter.class, "has parameters that a listener of leadership does not get");
        assertRefused(WrongEvent.class, "The @OnGranted method");
        assertRefused(WrongEvent.class, "has parameters that a listener of leadership does not get");
        assertRefused(EmptyRole.class, "names an empty role");
    }

    @Test
    void aMethodThatIsCalledOnceWarns(CapturedOutput output) {
        runner.withUserConfiguration(Once.class).run(context -> assertThat(output)
                .containsOnlyOnce("Once.ready() is called once, when the application has started")
                .containsOnlyOnce("Once.run() is called once, when the application has started")
                .contains("Use @OnGranted for the first actions of a new leader"));
    }

    private void assertRefused(Class<?> configuration, String reason) {
        runner.withUserConfiguration(configuration).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining(reason));
    }

    static class Listener {

        final List<String> log = new CopyOnWriteArrayList<>();

        @OnGranted("${app.role}")
        void granted() {
            log.add("granted");
        }

        @OnGranted(role = "billing")
        void granted(Leadership leadership) {
            log.add("granted leadership " + leadership.fencingToken());
        }

        @OnGranted("billing")
        void granted(LeadershipGrantedEvent event) {
            log.add("granted event " + event);
        }

        @OnRevoked("billing")
        void revoked(Leadership leadership) {
            log.add("revoked, leader: " + leadership.isLeader());
        }

        @EventListener
        void plain(LeadershipRevokedEvent event) {
            log.add("revoked event of " + event.leadership().fencingToken());
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @OnGranted
    @interface OnB {
        @AliasFor(annotation = OnGranted.class, attribute = "role")
        String name() default "b";
    }

    static class TwoRoles {

        final List<String> log = new CopyOnWriteArrayList<>();

        @OnGranted("a")
        void a() {
            log.add("a");
        }

        @OnB
        void b() {
            log.add("b");
        }

        @OnRevoked("b")
        void bRevoked() {
            log.add("b revoked");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Ordered {

        final List<String> log = new CopyOnWriteArrayList<>();

        @Bean
        @OnLeader
        SmartLifecycle work() {
            return new SmartLifecycle() {
                private volatile boolean running;

                @Override
                public void start() {
                    log.add("bean started");
                    running = true;
                }

                @Override
                public void stop() {
                    log.add("bean stopped");
                    running = false;
                }

                @Override
                public boolean isRunning() {
                    return running;
                }
            };
        }

        @OnGranted
        void granted() {
            log.add("listener granted");
        }

        @OnRevoked
        void revoked() {
            log.add("listener revoked");
        }
    }

    static class Throwing {

        final List<String> log = new CopyOnWriteArrayList<>();

        @OnGranted
        @Order(1)
        void throwsAtGrant() {
            throw new IllegalStateException("full");
        }

        @OnGranted
        @Order(2)
        void granted() {
            log.add("granted");
        }

        @OnRevoked
        @Order(1)
        void throwsAtRevocation() {
            throw new IllegalStateException("still full");
        }

        @OnRevoked
        @Order(2)
        void revoked() {
            log.add("revoked");
        }
    }

    static class ThrowingPlainly {

        @OnGranted
        void granted() {}

        @EventListener
        void plain(LeadershipGrantedEvent event) {
            throw new IllegalStateException("full: " + event);
        }
    }

    static class WrongEvent {
        @OnGranted
        void granted(LeadershipRevokedEvent event) {}
    }

    static class Both {
        @OnGranted
        @OnRevoked
        void both() {}
    }

    static class WrongParameter {
        @OnGranted
        void granted(String leader) {}
    }

    static class EmptyRole {
        @OnGranted("")
        void granted() {}
    }

    static class Once implements org.springframework.boot.ApplicationRunner {

        @OnLeader
        @EventListener(org.springframework.boot.context.event.ApplicationReadyEvent.class)
        void ready() {}

        @OnLeader
        @Override
        public void run(org.springframework.boot.ApplicationArguments arguments) {}
    }
}
