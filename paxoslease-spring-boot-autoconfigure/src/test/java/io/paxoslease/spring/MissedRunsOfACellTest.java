package io.paxoslease.spring;

import static io.paxoslease.spring.leader.OnLeader.Missed.RUN_ON_GRANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.PaxosLeaseLeaderAutoConfiguration;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.runs.RunLog;
import io.paxoslease.spring.runs.ScheduledRun;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Applications on the nodes of one cell. Slots are years apart, so none is due while a test runs. */
@Tag("slow")
class MissedRunsOfACellTest {

    private static final long NEW_YEAR = Instant.parse("2020-01-01T00:00:00Z").getEpochSecond();
    private static final String REGISTER = "runs:reports/Reports.yearly()";

    private final InMemoryCell cell = InMemoryCell.of(Duration.ofSeconds(3), Duration.ofSeconds(3), "a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TaskSchedulingAutoConfiguration.class,
                    PaxosLeaseAutoConfiguration.class,
                    PaxosLeaseLeaderAutoConfiguration.class))
            .withUserConfiguration(App.class)
            .withPropertyValues("paxoslease.leadership.start=started");

    private ApplicationContextRunner on(String node) {
        return runner.withBean(
                PaxosLease.class, () -> cell.node(node), definition -> definition.setDestroyMethodName(""));
    }

    /** While the cell's time goes on. */
    private void awaitWith(BooleanSupplier condition) {
        await().until(() -> {
            cell.advance(Duration.ofMillis(300));
            return condition.getAsBoolean();
        });
    }

    @Test
    void aRunThatACrashInterruptsIsMadeByTheNextLeaderAndOnce() throws Exception {
        cell.node("c").registers().raise(REGISTER, NEW_YEAR).get();
        on("a").run(first -> {
            Reports crashing = first.getBean(Reports.class);
            crashing.then(() -> {
                cell.crash("a");
                throw new CancellationException("the machine is gone");
            });
            awaitWith(() -> crashing.runs().size() == 1);
            on("b").run(second -> {
                Reports next = second.getBean(Reports.class);
                awaitWith(() -> next.runs().size() == 1);
                assertThat(next.runs()).allMatch(thread -> thread.startsWith("scheduling-"));
                await().until(() ->
                        cell.node("c").registers().read(REGISTER).get().getAsLong() > NEW_YEAR);
                second.getBean(LeaderElections.class).stop();
                on("c").run(this::leadsAndDoesNotRun);
            });
        });
    }

    private void leadsAndDoesNotRun(AssertableApplicationContext third) {
        LeaderElections elections = third.getBean(LeaderElections.class);
        awaitWith(() -> elections.isLeader("reports"));
        Reports next = third.getBean(Reports.class);
        next.yearly();
        assertThat(next.runs()).isEmpty();
    }

    @Test
    void aBeanOfTheApplicationRemembersRunsInsteadOfTheMembers() {
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        on("a").withBean(RunLog.class, () -> new RecordingLog(asked)).run(context -> {
            awaitWith(() -> asked.contains("finish"));
            assertThat(asked).containsExactly("isMissed", "begin", "finish");
            assertThat(cell.node("c").registers().read(REGISTER).get()).isEmpty();
        });
    }

    @Test
    void aStoreHasNoMembersThatRemember(@TempDir java.nio.file.Path directory) {
        ApplicationContextRunner storage = runner.withPropertyValues(
                "paxoslease.algorithm=storage",
                "paxoslease.storage.directories=" + directory,
                "paxoslease.storage.access-bound=50ms");
        storage.run(context -> assertThat(context.getStartupFailure())
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("with algorithm 'storage' there are no members to remember runs")
                .extracting(failure -> ((AnnotationUsageException) failure).action())
                .isEqualTo("Declare a JdbcRuns bean, or another RunLog."));
        storage.withBean(RunLog.class, () -> new RecordingLog(new ConcurrentLinkedQueue<>()))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class App {

        @Bean
        Reports reports() {
            return new Reports();
        }
    }

    static class Reports {

        private final Queue<String> runs = new ConcurrentLinkedQueue<>();
        private volatile Runnable then = () -> {};

        Queue<String> runs() {
            return runs;
        }

        void then(Runnable next) {
            then = next;
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OnLeader(role = "reports", missed = RUN_ON_GRANT)
        void yearly() {
            runs.add(Thread.currentThread().getName());
            then.run();
        }
    }

    /** Everything was missed. */
    private record RecordingLog(Queue<String> asked) implements RunLog {

        @Override
        public boolean isMissed(ScheduledRun run) {
            asked.add("isMissed");
            return true;
        }

        @Override
        public boolean begin(ScheduledRun run) {
            asked.add("begin");
            return true;
        }

        @Override
        public void finish(ScheduledRun run) {
            asked.add("finish");
        }
    }
}
