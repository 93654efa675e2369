package io.paxoslease.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.SmartLifecycleRoleController;

/** An endpoint of a role whose start continues in the background; found with consumers of Apache Camel (its pull request 26028). */
@Tag("slow")
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class RoleEndpointsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(App.class)
            .withPropertyValues(
                    "paxoslease.standalone=true",
                    "paxoslease.roles.billing.eligible=true",
                    "paxoslease.roles.billing.cool-down=1m");

    @Test
    void anEndpointThatStartsAfterItsLeadershipIsStoppedEachTime(CapturedOutput output) {
        runner.run(context -> {
            LateEndpoint endpoint = context.getBean(LateEndpoint.class);
            endpoint.started.await();
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("billing"));
            elections.resign("billing");
            await().until(() -> endpoint.stops.get() > 0);
            endpoint.running = true;
            await().until(() -> !endpoint.running);
            endpoint.running = true;
            await().until(() -> !endpoint.running);

            assertThat(output).contains("started after the leadership of its role 'billing' had ended: stopping it");
        });
    }

    /** It held the context: tests and redeployments in one JVM had a thread and a context more after each. */
    @Test
    void theWatchOfLateStartsEndsSoonAfterTheContextHasClosed() {
        runner.withUserConfiguration(LateBean.class).run(context -> {
            context.getBean(LateEndpoint.class).started.await();
            context.getBean(LateBean.class).started().await();
        });
        assertThat(watches()).isNotEmpty();
        await().atMost(Duration.ofSeconds(30)).until(() -> watches().isEmpty());
    }

    private static List<String> watches() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(Pattern.compile("paxoslease-stop-.*(billing|LateBean)").asMatchPredicate())
                .toList();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        LateEndpoint endpoint(SmartLifecycleRoleController roles) {
            roles.addLifecycleToRole("billing", "endpoint");
            return new LateEndpoint();
        }
    }

    @OnLeader("billing")
    static class LateBean implements SmartLifecycle {

        private final CountDownLatch started = new CountDownLatch(1);

        /** A method, as the bean has a proxy. */
        CountDownLatch started() {
            return started;
        }

        @Override
        public void start() {
            started.countDown();
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    static class LateEndpoint implements SmartLifecycle {

        final CountDownLatch started = new CountDownLatch(1);
        final AtomicInteger stops = new AtomicInteger();
        volatile boolean running;

        @Override
        public void start() {
            started.countDown();
        }

        @Override
        public void stop() {
            running = false;
            stops.incrementAndGet();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public boolean isAutoStartup() {
            return false;
        }
    }
}
