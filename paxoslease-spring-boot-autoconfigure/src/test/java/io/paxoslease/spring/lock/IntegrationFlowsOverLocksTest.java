package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.handler.advice.LockRequestHandlerAdvice;
import org.springframework.integration.store.MessageGroup;
import org.springframework.integration.store.MessageGroupStore;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.MessagingException;

/** Spring Integration's flows in two applications, each with the registry of its own node. */
@Tag("slow")
@Tag("jdk")
@SuppressWarnings("LockNotBeforeTry") // a test that fails need not unlock
class IntegrationFlowsOverLocksTest {

    private static final int GROUPS = 10;
    private static final int PARTS = 4;

    private static LockCell cell;

    private final List<GenericApplicationContext> applications = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();
    private final QueueChannel out = new QueueChannel();

    @BeforeAll
    static void startCell() {
        cell = new LockCell(LockCell.MAX_LEASE_TIME); // a lock that is lost fails its message
    }

    @AfterAll
    static void stopCell() {
        cell.close();
    }

    @AfterEach
    void stop() {
        actors.forEach(Actor::close);
        applications.forEach(GenericApplicationContext::close);
    }

    /** The parts of each group come to both nodes at the same time, and both have one store. */
    @Test
    void groupsWhosePartsComeToDifferentNodesAreReleasedOnce() throws Exception {
        SimpleMessageStore store = new SimpleMessageStore();
        start(Aggregator.class, store);
        start(Aggregator.class, store);
        CyclicBarrier together = new CyclicBarrier(PARTS);
        Queue<Exception> failures = new ConcurrentLinkedQueue<>();
        List<Future<?>> senders = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            int number = part + 1;
            MessageChannel in = in(part % 2);
            senders.add(actor().begins(() -> {
                for (int group = 0; group < GROUPS; group++) {
                    together.await();
                    try {
                        in.send(part("order-" + group, number));
                    } catch (MessagingException e) {
                        failures.add(e); // the others would wait for this one at the barrier
                    }
                }
            }));
        }
        for (Future<?> sender : senders) {
            Actor.done(sender);
        }
        assertThat(failures).isEmpty();
        List<Message<?>> released = out.clear();
        assertThat(released)
                .extracting(message -> String.valueOf(message.getHeaders().get("correlationId")))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, GROUPS)
                        .mapToObj(group -> "order-" + group)
                        .toList());
        assertThat(released).extracting(Message::getPayload).allSatisfy(parts -> assertThat((Collection<?>) parts)
                .hasSize(PARTS));
    }

    private static Message<?> part(String group, int number) {
        return MessageBuilder.withPayload("part " + number)
                .setCorrelationId(group)
                .setSequenceNumber(number)
                .setSequenceSize(PARTS)
                .build();
    }

    @Test
    void anAdviceLetsOneMessageOfAKeyThroughAtATime() throws Exception {
        Till till = new Till();
        start(Advised.class, till);
        start(Advised.class, till);
        List<Future<?>> senders = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            MessageChannel in = in(i % 2);
            senders.add(actor().begins(() -> {
                for (int payment = 0; payment < 20; payment++) {
                    in.send(MessageBuilder.withPayload(1).build());
                }
            }));
        }
        for (Future<?> sender : senders) {
            Actor.done(sender);
        }
        assertThat(till.sum).isEqualTo(80);
    }

    @Test
    void anAdviceThatDoesNotGetTheLockInTimeSaysSo() throws Exception {
        start(Advised.class, new Till());
        PaxosLeaseLock lock = cell.registry(1).obtain("till");
        lock.lock();
        MessageChannel in = in(0);
        Message<?> urgent = MessageBuilder.withPayload(1)
                .setHeader("wait", Duration.ofMillis(50))
                .build();
        assertThatExceptionOfType(MessageHandlingException.class)
                .isThrownBy(() -> in.send(urgent))
                .withMessageContaining("Could not acquire the lock in time: PT0.05S")
                .withCauseInstanceOf(TimeoutException.class);
        lock.unlock();
        in.send(urgent);
        await().until(() -> cell.registry(1).obtain("till").tryLock());
    }

    private MessageChannel in(int application) {
        return applications.get(application).getBean("in.input", MessageChannel.class);
    }

    private Actor actor() {
        Actor actor = new Actor();
        actors.add(actor);
        return actor;
    }

    private <T> void start(Class<?> configuration, T shared) {
        AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
        int node = applications.size();
        application.registerBean(PaxosLeaseLockRegistry.class, () -> cell.registry(node));
        application.getBeanFactory().registerSingleton("shared", shared);
        application.getBeanFactory().registerSingleton("out", out);
        application.register(configuration);
        application.refresh();
        applications.add(application);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    static class Integration {}

    @Configuration(proxyBeanMethods = false)
    @Import(Integration.class)
    static class Aggregator {
        @Bean
        IntegrationFlow in(PaxosLeaseLockRegistry locks, MessageGroupStore store) {
            return flow -> flow.aggregate(aggregator -> aggregator
                            .lockRegistry(locks)
                            .messageStore(store)
                            .releaseStrategy(Aggregator::isCompleteAfterSomeThought)
                            .expireGroupsUponCompletion(true))
                    .channel("out");
        }

        /** Without the lock, two would find the last part of a group while they think. */
        private static boolean isCompleteAfterSomeThought(MessageGroup group) {
            LockSupport.parkNanos(5_000_000);
            return group.size() == PARTS;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Integration.class)
    static class Advised {
        @Bean
        LockRequestHandlerAdvice lockAdvice(PaxosLeaseLockRegistry locks) {
            LockRequestHandlerAdvice advice = new LockRequestHandlerAdvice(locks, "till");
            advice.setWaitLockDurationExpressionString("headers['wait']");
            return advice;
        }

        @Bean
        IntegrationFlow in(LockRequestHandlerAdvice lockAdvice, Till till) {
            return flow -> flow.handle(
                    Integer.class,
                    (amount, headers) -> {
                        till.add(amount);
                        return null;
                    },
                    endpoint -> endpoint.advice(lockAdvice));
        }
    }

    /** Guarded by nothing but the lock. */
    static final class Till {
        private volatile int sum;

        private void add(int amount) {
            int before = sum;
            for (int i = 0; i < 2_000; i++) {
                Thread.onSpinWait();
            }
            sum = before + amount;
        }
    }
}
