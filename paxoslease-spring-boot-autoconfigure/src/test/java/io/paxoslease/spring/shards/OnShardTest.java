package io.paxoslease.spring.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardCall;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Methods and components that work on the shards of a standalone node. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class OnShardTest {

    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withPropertyValues("paxoslease.shards.invoices.count=3");

    private final Log log = new Log();
    private final ApplicationContextRunner logging = runner.withBean(Log.class, () -> log);

    /** What the beans of a test have done, in order. */
    static final class Log {

        final List<String> lines = new CopyOnWriteArrayList<>();

        void add(String line) {
            lines.add(line);
        }

        List<String> of(int shard) {
            return lines.stream()
                    .filter(line -> line.endsWith(" " + shard))
                    .map(line -> line.substring(0, line.length() - 2))
                    .toList();
        }
    }

    /** Blocks until the thread is interrupted. */
    private static void block() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    @Test
    void eachShardHasItsThreadFromTheGrantToTheRevocation() {
        logging.withBean(Blocking.class).run(context -> {
            await().until(() -> log.lines.size() == 6);
            assertThat(context.getBean(ShardGroups.class).get("invoices").ownedIndexes())
                    .containsExactly(0, 1, 2);
            context.close();
            for (int shard = 0; shard < 3; shard++) {
                assertThat(log.of(shard))
                        .containsExactly(
                                "granted on paxoslease-shard-invoices-" + shard,
                                "work on paxoslease-shard-invoices-" + shard,
                                "interrupted on paxoslease-shard-invoices-" + shard,
                                "revoked on paxoslease-shard-invoices-" + shard);
            }
        });
    }

    @EnabledForJreRange(min = JRE.JAVA_21)
    @Test
    void theThreadsAreVirtualWhereTheApplicationWantsThat() {
        logging.withBean(Virtual.class)
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> await().until(() -> log.lines.stream()
                                .filter(line -> line.startsWith("VirtualThread"))
                                .count()
                        == 3));
    }

    @Test
    void aMethodWithADelayIsCalledAgainAlsoAfterAFailure(CapturedOutput output) {
        logging.withBean(Polling.class)
                .withPropertyValues("app.delay=2ms", "app.group=invoices")
                .run(context -> {
                    await().until(() -> log.lines.size() > 6);
                    ShardGroups groups = context.getBean(ShardGroups.class);
                    assertThat(groups.counts("invoices").failed()).isEqualTo(2);
                    assertThat(groups.get("invoices").counts().failed()).isZero();
                    assertThat(output)
                            .contains("The @OnShard method Polling.poll() failed for shard")
                            .contains("The next call is in 2 ms");
                });
    }

    @Test
    void aMethodThatReturnsIsReportedOnceAndTheShardStays(CapturedOutput output) {
        logging.withBean(Returning.class).run(context -> {
            await().until(() -> log.lines.size() == 3 && output.getOut().contains("fixedDelay"));
            assertThat(context.getBean(ShardGroups.class).get("invoices").owned())
                    .hasSize(3);
            context.close();
            assertThat(output.getOut().split("The @OnShard method Returning.work\\(\\) returned", -1))
                    .hasSize(2);
            assertThat(log.lines).hasSize(3);
        });
    }

    @Test
    void aFailureEndsTheWorkWhichStartsAgain(CapturedOutput output) {
        logging.withBean(FailingOnce.class).run(context -> {
            await().until(() -> log.lines.contains("worked after a failure"));
            assertThat(context.getBean(ShardGroups.class).counts("invoices").failed())
                    .isEqualTo(1);
            assertThat(log.lines).contains("revoked after a failure");
            assertThat(output).contains("group 'invoices' failed");
        });
    }

    @Test
    void severalMethodsOfAGroupHaveAThreadEachAndAllEndFirst() {
        logging.withPropertyValues("paxoslease.shards.invoices.max-owned=1")
                .withBean(Blocking.class)
                .withBean(Slow.class)
                .run(context -> {
                    await().until(() -> log.lines.size() == 3);
                    context.close();
                    assertThat(log.lines.subList(1, 3))
                            .allSatisfy(
                                    line -> assertThat(line).containsPattern("on paxoslease-shard-invoices-\\d-[12]"))
                            .doesNotHaveDuplicates();
                    assertThat(log.lines).last().asString().startsWith("revoked");
                    assertThat(log.lines).contains("slow has ended");
                });
    }

    @Test
    void oneOfSeveralThatFailsEndsTheOthers() {
        logging.withPropertyValues("paxoslease.shards.invoices.max-owned=1")
                .withBean(Blocking.class)
                .withBean(FailingLater.class)
                .run(context -> {
                    await().until(() -> log.lines.contains("worked after a failure"));
                    assertThat(log.lines.stream().filter(line -> line.startsWith("interrupted on")))
                            .hasSize(1);
                });
    }

    @Test
    void componentsOpenFirstAndCloseLastInReverse(CapturedOutput output) {
        logging.withPropertyValues("paxoslease.shards.invoices.max-owned=1")
                .withBean("second", Second.class)
                .withBean("first", First.class)
                .withBean(Blocking.class)
                .run(context -> {
                    await().until(() -> log.lines.size() == 4);
                    context.close();
                    assertThat(log.lines.stream().map(line -> line.replaceAll(" .*", "")))
                            .containsExactly(
                                    "first",
                                    "second",
                                    "granted",
                                    "work",
                                    "interrupted",
                                    "revoked",
                                    "-second",
                                    "-first");
                    assertThat(output)
                            .contains("At the end of the work on shard")
                            .contains("it fails to close");
                });
    }

    @Test
    void methodsAreCalledInTheOrderOfTheirBeansAndInReverse() {
        logging.withPropertyValues("paxoslease.shards.invoices.max-owned=1")
                .withBean("b", Late.class)
                .withBean("a", Early.class)
                .run(context -> {
                    await().until(() -> log.lines.size() == 2);
                    context.close();
                    assertThat(log.lines)
                            .containsExactly("early granted", "late granted", "late revoked", "early revoked");
                });
    }

    /** As where Spring injects them. */
    @Test
    void theOrderOfTheMethodThatMakesABeanCounts() {
        logging.withPropertyValues("paxoslease.shards.invoices.max-owned=1")
                .withUserConfiguration(OrderedByMethod.class)
                .run(context -> {
                    await().until(() -> log.lines.size() == 4);
                    assertThat(log.lines).containsExactly("first", "second", "third", "fourth");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OrderedByMethod {

        @Bean
        @Order(4)
        Named fourth(Log log) {
            return new Named(log, "fourth");
        }

        @Bean
        @Order(3)
        Named third(Log log) {
            return new Named(log, "third");
        }

        @Bean
        @Order(2)
        Opening second(Log log) {
            return new Opening(log, "second");
        }

        @Bean
        @Order(1)
        Opening first(Log log) {
            return new Opening(log, "first");
        }
    }

    record Named(Log log, String name) {

        @OnShardGranted("invoices")
        void open(Shard shard) {
            log.add(name);
        }
    }

    record Opening(Log log, String name) implements ShardComponentFactory<AutoCloseable> {

        @Override
        public String group() {
            return "invoices";
        }

        @Override
        public AutoCloseable open(Shard shard) {
            log.add(name);
            return () -> {};
        }
    }

    @Test
    void aLazyBeanIsCreatedForItsGroup() {
        logging.withBean(Blocking.class, () -> new Blocking(log), beans -> beans.setLazyInit(true))
                .run(context -> await().until(() -> log.lines.size() == 6));
    }

    @Test
    void aScheduledMethodAsksForTheShardsThatThisInstanceOwns() {
        logging.withUserConfiguration(Scheduling.class).withBean(Due.class).run(context -> {
            await().until(() -> log.lines.contains("[0, 1, 2]"));
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("nobody works on single shards")
                    .noneMatch(thread -> thread.getName().startsWith("paxoslease-shard-invoices-"));
            context.getBean(ShardGroups.class).get("invoices").stop(Duration.ofSeconds(20));
            log.lines.clear();
            await().until(() -> log.lines.contains("[]")); // a query that has begun before may still tell of shards
            assertThat(log.lines.subList(log.lines.indexOf("[]"), log.lines.size()))
                    .containsOnly("[]");
        });
    }

    @Test
    void aStopWaitsForACallOfTheOwner() {
        runner.run(context -> {
            ShardGroup invoices = context.getBean(ShardGroups.class).get("invoices");
            await().until(() -> invoices.owns(1));
            CompletableFuture<Boolean> stopped = new CompletableFuture<>();
            try (ShardCall call = invoices.enter(1, false).orElseThrow()) {
                assertThat(Shard.current()).isSameAs(call.shard());
                new Thread(() -> stopped.complete(invoices.stop(Duration.ofSeconds(20)))).start();
                await().until(() -> !invoices.owns(1) && invoices.counts().released() == 2);
                assertThat(stopped).isNotDone();
            }
            assertThat(stopped).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
        });
    }

    @Test
    void theDelayDoublesUpToAMinute() {
        Duration usual = Duration.ofMillis(500);
        assertThat(ShardTask.longer(usual, usual)).isEqualTo(Duration.ofSeconds(1));
        assertThat(ShardTask.longer(Duration.ofSeconds(40), usual)).isEqualTo(Duration.ofMinutes(1));
        assertThat(ShardTask.longer(Duration.ofMinutes(5), Duration.ofMinutes(5)))
                .isEqualTo(Duration.ofMinutes(5));
    }

    record Blocking(Log log) {

        @OnShardGranted("invoices")
        void open(Shard shard) {
            tell("granted", shard);
        }

        @OnShard("invoices")
        void work(Shard shard) throws InterruptedException {
            tell("work", shard);
            try {
                block();
            } finally {
                tell("interrupted", shard);
            }
        }

        @OnShardRevoked("invoices")
        void close(Shard shard) {
            tell(shard.isOwned() ? "still owned" : "revoked", shard);
        }

        private void tell(String what, Shard shard) {
            log.add("%s on %s %d".formatted(what, Thread.currentThread().getName(), shard.index()));
        }
    }

    record Virtual(Log log) {

        @OnShard("invoices")
        void work(Shard shard) throws InterruptedException {
            log.add(Thread.currentThread().toString());
            block();
        }
    }

    static class Polling {

        private final Log log;
        private final AtomicInteger calls = new AtomicInteger();

        Polling(Log log) {
            this.log = log;
        }

        @OnShard(value = "${app.group}", fixedDelay = "${app.delay}")
        void poll(Shard shard) {
            if (calls.incrementAndGet() <= 2) {
                throw new IllegalStateException("not yet");
            }
            log.add("polled " + shard.index());
        }
    }

    record Returning(Log log) {

        @OnShard("invoices")
        void work(Shard shard) {
            log.add("returned " + shard.index());
        }
    }

    static class FailingOnce {

        private final Log log;
        private final AtomicInteger calls = new AtomicInteger();

        FailingOnce(Log log) {
            this.log = log;
        }

        @OnShard("invoices")
        void work(Shard shard) throws InterruptedException {
            if (calls.incrementAndGet() == 1) {
                awaitOthers();
                throw new IllegalStateException("not yet");
            }
            await().until(() -> log.lines.contains("revoked after a failure"));
            log.add("worked after a failure");
            block();
        }

        void awaitOthers() {}

        @OnShardRevoked("invoices")
        void close(Shard shard) {
            log.add("revoked after a failure");
        }
    }

    /** Fails while the other method works. */
    static class FailingLater extends FailingOnce {

        private final Log log;

        FailingLater(Log log) {
            super(log);
            this.log = log;
        }

        @Override
        void awaitOthers() {
            await().until(() -> log.lines.stream().anyMatch(line -> line.startsWith("work on")));
        }
    }

    /** Goes on after the interrupt for as long as the other method. */
    record Slow(Log log) {

        @OnShard("invoices")
        void work(Shard shard) throws InterruptedException {
            log.add("slow on %s %d".formatted(Thread.currentThread().getName(), shard.index()));
            try {
                block();
            } catch (InterruptedException e) {
                await().until(() -> log.lines.stream().anyMatch(line -> line.startsWith("interrupted on")));
                log.add("slow has ended");
                throw e;
            }
        }
    }

    @Order(1)
    static class First implements ShardComponentFactory<AutoCloseable> {

        private final Log log;

        First(Log log) {
            this.log = log;
        }

        @Override
        public String group() {
            return "invoices";
        }

        @Override
        public AutoCloseable open(Shard shard) {
            log.add("first");
            return () -> log.add("-first");
        }
    }

    @Order(2)
    static class Second implements ShardComponentFactory<AutoCloseable> {

        private final Log log;

        Second(Log log) {
            this.log = log;
        }

        @Override
        public String group() {
            return "invoices";
        }

        @Override
        public AutoCloseable open(Shard shard) {
            log.add("second");
            return () -> {
                log.add("-second");
                throw new IllegalStateException("it fails to close");
            };
        }
    }

    @Order(1)
    record Early(Log log) {

        @OnShardGranted("invoices")
        void open(Shard shard) {
            log.add("early granted");
        }

        @OnShardRevoked("invoices")
        void close(Shard shard) {
            log.add("early revoked");
        }
    }

    @Order(2)
    record Late(Log log) {

        @OnShardGranted("invoices")
        void open(Shard shard) {
            log.add("late granted");
        }

        @OnShardRevoked("invoices")
        void close(Shard shard) {
            log.add("late revoked");
        }
    }

    @EnableScheduling
    static class Scheduling {}

    static class Due {

        private final Log log;
        private final ShardGroup invoices;

        Due(Log log, ShardGroups groups) {
            this.log = log;
            this.invoices = groups.get("invoices");
        }

        @Scheduled(fixedDelay = 5)
        void poll() {
            log.add(invoices.ownedIndexes().toString());
        }
    }
}
