package io.paxoslease.spring.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** When groups start, and that the node stops after them. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class ShardsLifecycleTest {

    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withPropertyValues("paxoslease.shards.invoices.count=3");

    private final SlowEnd work = new SlowEnd();
    private final ApplicationContextRunner slow = runner.withBean(SlowEnd.class, () -> work);

    /** A bean of a lower phase that depends on the groups ends their phase early for the container. */
    @Test
    void theNodeRunsUntilTheWorkHasEnded() {
        slow.withBean(Low.class).run(context -> {
            await().until(() -> work.working.get() == 3);
            ShardGroup invoices = context.getBean(ShardGroups.class).get("invoices");
            PaxosLease node = context.getBean(PaxosLease.class);
            Thread closing = new Thread(context::close);
            closing.start();
            await().until(() -> isIn(ShardsStopBarrier.class, closing));
            assertThat(work.ended).hasValue(0);
            assertThat(node.monitor().isRunning()).isTrue();
            work.end.countDown();
            closing.join();
            assertThat(work.ended).hasValue(3);
            assertThat(invoices.counts().released()).isEqualTo(3);
            assertThat(invoices.counts().lost()).isZero();
            assertThat(node.monitor().isRunning()).isFalse();
        });
    }

    private static boolean isIn(Class<?> type, Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(type.getName()));
    }

    @Test
    void aStopWaitsForTheHandOverTimeoutAtMost(CapturedOutput output) {
        slow.withPropertyValues("paxoslease.shards.invoices.hand-over-timeout=100ms")
                .run(context -> {
                    await().until(() -> work.working.get() == 3);
                    context.close();
                    assertThat(output).contains("Work on shards of group 'invoices' has not ended within 100 ms");
                    work.end.countDown();
                });
    }

    @Test
    void aStoppedGroupStartsAgain() {
        work.end.countDown();
        slow.run(context -> {
            ShardGroup invoices = context.getBean(ShardGroups.class).get("invoices");
            await().until(() -> work.working.get() == 3);
            ShardGroupsLifecycle lifecycle = context.getBean(ShardGroupsLifecycle.class);
            lifecycle.stop();
            assertThat(lifecycle.isRunning()).isFalse();
            assertThat(invoices.owned()).isEmpty();
            assertThat(work.ended).hasValue(3);
            lifecycle.start();
            lifecycle.begin();
            await().until(() -> work.working.get() == 6);
        });
    }

    @Test
    void workMayCloseTheContextThatItWorksFor(CapturedOutput output) {
        runner.withBean(Closing.class).run(context -> {
            Closing closing = context.getBean(Closing.class);
            await().until(() -> closing.closed.get());
            assertThat(context.getSourceApplicationContext().isActive()).isFalse();
            assertThat(output).contains("Work on a shard stops the application").doesNotContain("has not ended within");
        });
    }

    @Test
    void groupsStartOnceTheApplicationIsReady() {
        try (ConfigurableApplicationContext context = start("ready")) {
            assertThat(context.getBean(Runner.class).isRunning).isFalse();
            ShardGroup invoices = context.getBean(ShardGroups.class).get("invoices");
            await().until(() -> invoices.owned().size() == 3);
        }
    }

    @Test
    void orOnceTheContextHasStarted() {
        try (ConfigurableApplicationContext context = start("started")) {
            assertThat(context.getBean(Runner.class).isRunning).isTrue();
        }
    }

    private static ConfigurableApplicationContext start(String when) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.main.banner-mode=off",
                        "--paxoslease.standalone=true",
                        "--paxoslease.shards.invoices.count=3",
                        "--paxoslease.leadership.start=" + when);
    }

    /** Works until it is interrupted, and then until the test lets it end. */
    static class SlowEnd {

        final AtomicInteger working = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        final CountDownLatch end = new CountDownLatch(1);

        @OnShard("invoices")
        void work(Shard shard) {
            working.incrementAndGet();
            while (shard.isOwned() || end.getCount() > 0) {
                Thread.onSpinWait(); // whatever interrupts it
            }
            ended.incrementAndGet();
        }
    }

    static class Low implements SmartLifecycle {

        private final AtomicBoolean running = new AtomicBoolean();

        Low(ShardGroupsLifecycle groups) {
            assertThat(groups).isNotNull();
        }

        @Override
        public void start() {
            running.set(true);
        }

        @Override
        public void stop() {
            running.set(false);
        }

        @Override
        public boolean isRunning() {
            return running.get();
        }

        @Override
        public int getPhase() {
            return 0;
        }
    }

    static class Closing {

        final AtomicBoolean closed = new AtomicBoolean();
        private final ConfigurableApplicationContext context;

        Closing(ConfigurableApplicationContext context) {
            this.context = context;
        }

        @OnShard("invoices")
        void work(Shard shard) throws InterruptedException {
            if (shard.index() == 0) {
                context.close();
                closed.set(true);
            } else {
                new CountDownLatch(1).await();
            }
        }
    }

    static class Runner implements ApplicationRunner {

        private final ShardGroups groups;
        boolean isRunning;

        Runner(ShardGroups groups) {
            this.groups = groups;
        }

        @Override
        public void run(ApplicationArguments args) {
            isRunning = groups.get("invoices").isRunning();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PaxosLeaseTestSupport.All.class)
    static class Application {

        @Bean
        Runner runner(ShardGroups groups) {
            return new Runner(groups);
        }
    }
}
