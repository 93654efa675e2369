package io.paxoslease.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

/** From when on an application contests its roles. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class LeadershipStartTest {

    private static ConfigurableApplicationContext run(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "paxoslease.standalone=true")
                .properties("paxoslease.roles.billing.eligible=true")
                .properties(properties)
                .run();
    }

    @Test
    void rolesAreContestedOnceTheRunnersHaveReturned(CapturedOutput output) {
        try (ConfigurableApplicationContext context = run()) {
            assertThat(context.getBean(Log.class).lines)
                    .containsExactly("billing contested: false", "initiator leads: false, running: true");
            awaitBoth(context);
            assertThat(output).contains("once these runners have returned: [runner]");
        }
    }

    @Test
    void rolesAreContestedOnceTheContextHasStartedIfAskedFor(CapturedOutput output) {
        try (ConfigurableApplicationContext context = run("paxoslease.leadership.start=started")) {
            assertThat(context.getBean(Log.class).lines).first().isEqualTo("billing contested: true");
            awaitBoth(context);
            assertThat(output).doesNotContain("once these runners have returned");
        }
    }

    /** A context that is started again has been ready before. */
    @Test
    void aContextThatIsStartedAgainLeadsAgain() {
        try (ConfigurableApplicationContext context = run()) {
            awaitBoth(context);
            context.stop();
            assertThat(context.getBean(LeaderElections.class).isLeader("billing"))
                    .isFalse();
            context.start();
            awaitBoth(context);
        }
    }

    /** Readiness is what load balancers ask for; which role depends on it is for requires-health-group to say. */
    @Test
    void aLaterRefusalOfTrafficEndsNoLeadership() {
        try (ConfigurableApplicationContext context = run()) {
            awaitBoth(context);
            AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
            assertThat(context.getBean(LeaderElections.class).isLeader("billing"))
                    .isTrue();
        }
    }

    @Test
    void aParentThatIsReadyDoesNotWaitForItsChild() {
        SpringApplicationBuilder child = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "paxoslease.standalone=true")
                .properties("paxoslease.roles.billing.eligible=true")
                .child(Child.class)
                .web(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = child.run()) {
            awaitBoth(context);
        }
    }

    private static void awaitBoth(ConfigurableApplicationContext context) {
        await().until(() -> context.getBean(LeaderElections.class).isLeader("billing"));
        await().until(() -> context.getBean(PaxosLeaseLeaderInitiator.class).isLeader());
    }

    static final class Log {

        final List<String> lines = new CopyOnWriteArrayList<>();
    }

    @Configuration(proxyBeanMethods = false)
    static class Child {}

    @Configuration(proxyBeanMethods = false)
    static class App {

        @Bean
        Log log() {
            return new Log();
        }

        @Bean
        PaxosLeaseLeaderInitiator initiator(PaxosLease node) {
            return new PaxosLeaseLeaderInitiator(node, new Quiet());
        }

        @Bean
        ApplicationRunner runner(Log log, LeaderElections elections, PaxosLeaseLeaderInitiator initiator) {
            return arguments -> {
                log.lines.add("billing contested: " + elections.contests("billing"));
                log.lines.add(
                        "initiator leads: %s, running: %s".formatted(initiator.isLeader(), initiator.isRunning()));
            };
        }

        @Configuration(proxyBeanMethods = false)
        @ImportAutoConfiguration(
                classes = {
                    io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration.class,
                    io.paxoslease.spring.leader.PaxosLeaseLeaderAutoConfiguration.class
                })
        static class Imports {}
    }

    static final class Quiet extends AbstractCandidate {

        Quiet() {
            super("any", "reports");
        }

        @Override
        public void onGranted(Context context) {}

        @Override
        public void onRevoked(Context context) {}
    }
}
