package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The same on virtual threads. */
@EnabledForJreRange(min = JRE.JAVA_21)
class OnLeaderVirtualThreadTest {

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withConfiguration(
                    AutoConfigurations.of(TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
            .withUserConfiguration(Application.class)
            .withPropertyValues("spring.threads.virtual.enabled=true");

    @Test
    void scheduledAndAsyncCallsAreGuardedAndInterrupted() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("leader"));
            CompletableFuture<@Nullable String> call = jobs.inBackground();
            await().until(() -> jobs.log().containsAll(List.of("scheduled for leader", "async for leader")));
            elections.resign("leader");
            assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo("interrupted");
            await().until(() -> jobs.log().contains("scheduled interrupted"));
            await().until(() -> elections.callCounts("leader").interrupted() == 2);
            assertThat(jobs.log()).doesNotContain("platform thread");
        });
    }

    @Test
    void aFollowerSkipsThem() {
        runner.withPropertyValues("paxoslease.roles.leader.eligible=false").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            assertThat(jobs.inBackground().get(20, TimeUnit.SECONDS)).isNull();
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.callCounts("leader").skipped() > 3);
            assertThat(jobs.log()).isEmpty();
            assertThatIllegalStateException().isThrownBy(Leadership::current);
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableScheduling
    static class Application {
        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {

        private final List<String> log = new CopyOnWriteArrayList<>();

        List<String> log() {
            return log;
        }

        @Scheduled(fixedDelay = 1)
        @OnLeader
        public void scheduled() {
            log.add("scheduled " + workUntilInterrupted("scheduled"));
        }

        @Async
        @OnLeader
        public CompletableFuture<@Nullable String> inBackground() {
            return CompletableFuture.completedFuture(workUntilInterrupted("async"));
        }

        private String workUntilInterrupted(String name) {
            log.add(name + " for " + Leadership.current().role());
            if (!Thread.currentThread().toString().startsWith("VirtualThread")) {
                log.add("platform thread");
            }
            try {
                new CompletableFuture<>().get();
                return "done";
            } catch (InterruptedException expected) {
                return "interrupted";
            } catch (ExecutionException e) {
                throw new AssertionError(e);
            }
        }
    }
}
