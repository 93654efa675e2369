package io.paxoslease.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.leader.LeaderElections;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.annotation.Poller;
import org.springframework.integration.annotation.Role;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.Pollers;
import org.springframework.integration.endpoint.PollingConsumer;
import org.springframework.integration.scheduling.PollerMetadata;
import org.springframework.integration.support.SmartLifecycleRoleController;
import org.springframework.messaging.support.GenericMessage;

/** Handlers of pollers that are started and stopped with a role; each application is a cell of one, and its own next leader. */
@Tag("slow")
@Tag("jdk")
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class RolePollersTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(App.class)
            .withPropertyValues(
                    "paxoslease.standalone=true",
                    "paxoslease.roles.billing.eligible=true",
                    "paxoslease.roles.billing.cool-down=1ms");

    @ParameterizedTest
    @ValueSource(classes = {OfAnnotation.class, Pooled.class, OfFlow.class, AddedToTheRole.class})
    void theNextLeaderWaitsForAHandlerThatIgnoresItsInterrupt(Class<?> endpoint) {
        runner.withUserConfiguration(endpoint).run(RolePollersTest::assertTheNextLeaderWaits);
    }

    /** It joins the parent's controller, and hears no event of the parent. */
    @ParameterizedTest
    @ValueSource(classes = {OfAnnotation.class, Pooled.class, OfFlow.class})
    void soItDoesForAHandlerInAChildContext(Class<?> endpoint) {
        runner.run(parent -> runner.withParent(parent.getSourceApplicationContext())
                .withUserConfiguration(endpoint)
                .run(child -> {
                    LeaderElections elections = child.getBean(LeaderElections.class);
                    assertThat(parent.getBean(LeaderElections.class)).isSameAs(elections);
                    await().until(() -> elections.isLeader("billing"));
                    elections.resign("billing"); // the child's endpoints start at the next grant
                    assertTheNextLeaderWaits(child);
                }));
    }

    private static void assertTheNextLeaderWaits(ApplicationContext context) throws InterruptedException {
        Work work = context.getBean(Work.class);
        QueueChannel invoices = context.getBean("invoices", QueueChannel.class);
        invoices.send(new GenericMessage<>("first"));
        work.inside.await();
        invoices.send(new GenericMessage<>("second"));
        context.getBean(LeaderElections.class).resign("billing");
        await().until(() -> work.tokens.size() == 2);
        assertThat(work.overlaps).hasValue(0);
        assertThat(work.tokens)
                .as("one leadership for each")
                .doesNotContain(0L)
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void advicesOfThePollerAreKept() {
        runner.withUserConfiguration(Pooled.class).run(context -> {
            context.getBean("invoices", QueueChannel.class).send(new GenericMessage<>("first"));
            await().until(() -> context.getBean(Work.class).tokens.size() == 1);
            assertThat(context.getBean(Pooled.class).advised).hasPositiveValue();
        });
    }

    @Test
    void aHandlerThatDoesNotEndIsWaitedForNoLongerThanTheShutdown(CapturedOutput output) {
        runner.withUserConfiguration(OfAnnotation.class)
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=1s")
                .run(context -> {
                    Work work = context.getBean(Work.class);
                    work.patience = Duration.ofMinutes(1);
                    context.getBean("invoices", QueueChannel.class).send(new GenericMessage<>("first"));
                    work.inside.await();
                    context.stop();
                    assertThat(output).contains("guarded calls of the role 'billing' took longer than PT0.9S");
                    assertThat(work.tokens).isEmpty();
                    work.patience = Duration.ZERO;
                });
    }

    @Test
    void pollersThatNoRoleOfOursStartsAreNotTouched() {
        runner.withUserConfiguration(WithoutRole.class)
                .withPropertyValues("paxoslease.roles.billing.eligible=false")
                .run(context -> {
                    context.getBean(SmartLifecycleRoleController.class).startLifecyclesInRole("other");
                    context.getBean("mails", QueueChannel.class).send(new GenericMessage<>("first"));
                    context.getBean("letters", QueueChannel.class).send(new GenericMessage<>("second"));
                    WithoutRole handlers = context.getBean(WithoutRole.class);
                    await().until(() -> handlers.handled.size() == 2);
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        QueueChannel invoices() {
            return new QueueChannel();
        }

        @Bean
        Work work(LeaderElections elections) {
            return new Work(elections);
        }
    }

    /** Works for a while, whatever interrupts it, or until a later leadership has begun. */
    static class Work {

        final CountDownLatch inside = new CountDownLatch(1);
        final AtomicInteger overlaps = new AtomicInteger();
        /** Of the leaderships under which handlers began; zero: none. */
        final List<Long> tokens = new CopyOnWriteArrayList<>();

        volatile Duration patience = Duration.ofMillis(500);

        private final LeaderElections elections;

        Work(LeaderElections elections) {
            this.elections = elections;
        }

        void handle() {
            long token = token();
            inside.countDown();
            long start = System.nanoTime();
            while (System.nanoTime() - start < patience.toNanos()) {
                long now = token();
                if (now != token && now != 0) {
                    overlaps.incrementAndGet();
                    break;
                }
                try {
                    TimeUnit.MILLISECONDS.sleep(1);
                } catch (InterruptedException ignored) {
                    // as handlers do that log and go on
                }
            }
            tokens.add(token);
        }

        private long token() {
            return elections.leadership("billing").map(Leadership::fencingToken).orElse(0L);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfAnnotation {

        private final Work work;

        OfAnnotation(Work work) {
            this.work = work;
        }

        @ServiceActivator(
                inputChannel = "invoices",
                autoStartup = "false",
                poller = @Poller(fixedDelay = "1", maxMessagesPerPoll = "5"))
        @Role("billing")
        public void handle(String invoice) {
            work.handle();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Pooled {

        final AtomicInteger advised = new AtomicInteger();

        private final Work work;

        Pooled(Work work) {
            this.work = work;
        }

        @Bean
        PollerMetadata pooled(Executor threads) {
            MethodInterceptor counter = poll -> {
                advised.incrementAndGet();
                return poll.proceed();
            };
            return Pollers.fixedDelay(1)
                    .maxMessagesPerPoll(5)
                    .receiveTimeout(10)
                    .taskExecutor(threads)
                    .advice(counter)
                    .getObject();
        }

        @Bean(destroyMethod = "shutdownNow")
        Executor threads() {
            return Executors.newSingleThreadExecutor();
        }

        @ServiceActivator(inputChannel = "invoices", autoStartup = "false", poller = @Poller("pooled"))
        @Role("billing")
        public void handle(String invoice) {
            work.handle();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfFlow {

        @Bean
        IntegrationFlow billing(QueueChannel invoices, Work work) {
            return IntegrationFlow.from(invoices)
                    .handle(message -> work.handle(), endpoint -> endpoint.role("billing")
                            .autoStartup(false)
                            .poller(Pollers.fixedDelay(1).maxMessagesPerPoll(5)))
                    .get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AddedToTheRole {

        @Bean
        PollingConsumer consumer(QueueChannel invoices, Work work, SmartLifecycleRoleController roles) {
            PollingConsumer consumer = new PollingConsumer(invoices, message -> work.handle());
            consumer.setAutoStartup(false);
            consumer.setReceiveTimeout(10);
            roles.addLifecycleToRole("billing", "consumer");
            return consumer;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutRole {

        final List<String> handled = new CopyOnWriteArrayList<>();

        @Bean
        QueueChannel mails() {
            return new QueueChannel();
        }

        @Bean
        QueueChannel letters() {
            return new QueueChannel();
        }

        @ServiceActivator(inputChannel = "mails", poller = @Poller(fixedDelay = "1"))
        public void mail(String text) {
            handled.add(text);
        }

        @ServiceActivator(inputChannel = "letters", autoStartup = "false", poller = @Poller(fixedDelay = "1"))
        @Role("other")
        public void letter(String text) {
            handled.add(text);
        }
    }
}
