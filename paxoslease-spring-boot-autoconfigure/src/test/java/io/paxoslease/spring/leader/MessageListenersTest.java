package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.MessageListener;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.annotation.InboundChannelAdapter;
import org.springframework.integration.annotation.Poller;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.messaging.handler.annotation.MessageMapping;

/** Listeners that take messages, with {@link OnLeader}. */
@Tag("slow")
@Tag("jdk")
class MessageListenersTest {

    private static final String OR_FAIL =
            " Or let calls fail on followers, with otherwise = FAIL, if the sender or the broker then sends the message again.";

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner();
    private final ApplicationContextRunner jms = runner.withUserConfiguration(Jms.class)
            .withBean(Payments.class)
            .withPropertyValues("paxoslease.roles.billing.cool-down=1ms", "app.listener=payments");

    private static boolean listens(ApplicationContext context) {
        JmsListenerEndpointRegistry registry = context.getBean(JmsListenerEndpointRegistry.class);
        return Objects.requireNonNull(registry.getListenerContainer("payments")).isRunning();
    }

    @Test
    void aFollowerLeavesMessagesInTheQueue() {
        jms.withPropertyValues("paxoslease.roles.billing.eligible=false").run(context -> {
            JmsTemplate queue = context.getBean(JmsTemplate.class);
            queue.convertAndSend("payments", "kept");
            assertThat(listens(context)).isFalse();
            assertThat(queue.receiveAndConvert("payments")).isEqualTo("kept");
            assertThat(context.getBean(Payments.class).received()).isEmpty();
        });
    }

    @Test
    void theLeaderListensAndStopsWithItsLeadership() {
        jms.run(context -> {
            Payments payments = context.getBean(Payments.class);
            JmsTemplate queue = context.getBean(JmsTemplate.class);
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> listens(context));
            queue.convertAndSend("payments", "one");
            await().until(() -> payments.received().contains("one"));
            elections.stop();
            assertThat(listens(context)).isFalse();
            queue.convertAndSend("payments", "two");
            elections.start();
            elections.begin();
            await().until(() -> payments.received().contains("two"));
        });
    }

    @Test
    void noMessageIsLostWhileLeadershipComesAndGoes() {
        jms.run(context -> {
            Payments payments = context.getBean(Payments.class);
            JmsTemplate queue = context.getBean(JmsTemplate.class);
            LeaderElections elections = context.getBean(LeaderElections.class);
            for (int i = 0; i < 200; i++) {
                queue.convertAndSend("payments", "message " + i);
                if (i % 20 == 0) {
                    elections.resign("billing");
                }
            }
            await().until(() -> payments.received().size() == 200);
        });
    }

    /** Its consumers still wait for a start when it is stopped; then it calls no callback. */
    @Test
    void aContainerThatIsStoppedAtOnceAfterItsStartHasStopped() {
        jms.withPropertyValues("paxoslease.roles.billing.eligible=false").run(context -> {
            DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
            container.setConnectionFactory(context.getBean(ConnectionFactory.class));
            container.setDestinationName("others");
            container.setCacheLevel(DefaultMessageListenerContainer.CACHE_NONE);
            container.setReceiveTimeout(1);
            container.setMessageListener((MessageListener) message -> {});
            container.afterPropertiesSet();
            ManagedBean managed = new ManagedBean("others", container);
            for (int i = 0; i < 100; i++) {
                managed.start(new OnLeaderLifecycleTest.Leading());
                managed.stop().get(10, TimeUnit.SECONDS);
            }
            container.shutdown();
        });
    }

    /** What comes between the end of leadership and the stop of the container fails, so that it is delivered again. */
    @Test
    void aCallOnAFollowerFails() {
        jms.withPropertyValues("paxoslease.roles.billing.eligible=false")
                .run(context -> assertThatExceptionOfType(NotLeaderException.class)
                        .isThrownBy(() -> context.getBean(Payments.class).pay("late")));
    }

    @ParameterizedTest
    @ValueSource(classes = {Kafka.class, Rabbit.class})
    void containersOfKafkaAndRabbitRunWhileThisNodeLeads(Class<?> configuration) {
        runner.withUserConfiguration(configuration).run(context -> {
            SmartLifecycle container = context.getBean(Containers.class).container;
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(container::isRunning);
            elections.stop();
            assertThat(container.isRunning()).isFalse();
        });
        runner.withUserConfiguration(configuration)
                .withPropertyValues("paxoslease.roles.billing.eligible=false", "paxoslease.roles.other.eligible=true")
                .run(context -> {
                    await().until(() -> context.getBean(LeaderElections.class).isLeader("other"));
                    assertThat(context.getBean(Containers.class).container.isRunning())
                            .isFalse();
                });
    }

    static Arguments[] misuses() {
        return new Arguments[] {
            Arguments.of(
                    WithoutId.class,
                    "WithoutId.run() is a @JmsListener without an id, by which its container would be found.",
                    "Give it one, as @JmsListener(id = \"payments\", ...): the container is then started and stopped with the role."),
            Arguments.of(
                    Activator.class,
                    "Activator.run() is a @ServiceActivator, and a follower would take messages and drop them.",
                    "Remove @OnLeader, and let the endpoint run with the role: put Spring Integration's @Role(\"billing\") on the"
                            + " method, and autoStartup = \"false\" into @ServiceActivator."
                            + OR_FAIL),
            Arguments.of(
                    OtherListener.class,
                    "OtherListener.run() is a @QueueListener, and a follower would take messages and drop them.",
                    "Remove @OnLeader, keep the listener's container from starting by itself, and start and stop it in @OnGranted"
                            + " and @OnRevoked methods."
                            + OR_FAIL),
            Arguments.of(
                    NotRegistered.class,
                    "NotRegistered.run() is a @JmsListener, and there is no container with its id 'lost' in a"
                            + " JmsListenerEndpointRegistry.",
                    "Enable the listener's annotation in the same application context, and do not make the bean lazy."),
        };
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void whatWouldDropMessagesIsRefused(Class<?> bean, String problem, String action) {
        runner.withUserConfiguration(bean).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(AnnotationUsageException.class, failure -> {
                    assertThat(failure.description())
                            .isEqualTo("The @OnLeader method " + MessageListenersTest.class.getName() + "$" + problem);
                    assertThat(failure.action()).isEqualTo(action);
                }));
    }

    /** It sends messages, and has none to lose. */
    @Test
    void aSourceOfMessagesIsAllowed() {
        runner.withUserConfiguration(Source.class)
                .withPropertyValues("paxoslease.roles.billing.eligible=false")
                .run(context -> assertThat(context.getBean(Source.class).next()).isNull());
    }

    @Test
    void endpointsWhoseCallsFailAreAllowed() {
        runner.withUserConfiguration(FailingActivator.class)
                .withPropertyValues("paxoslease.roles.billing.eligible=false")
                .run(context -> assertThatExceptionOfType(NotLeaderException.class)
                        .isThrownBy(
                                () -> context.getBean(FailingActivator.class).run("x")));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJms
    static class Jms {

        /** Keeps its messages while no client is connected, and its connector: else a client that comes as the last one leaves is refused. */
        @Bean(initMethod = "start", destroyMethod = "stop")
        BrokerService broker() throws Exception {
            BrokerService broker = new BrokerService();
            broker.setBrokerName("listeners");
            broker.setPersistent(false);
            broker.setUseJmx(false);
            broker.addConnector("vm://listeners");
            return broker;
        }

        @Bean
        ConnectionFactory connectionFactory(BrokerService broker) {
            return new ActiveMQConnectionFactory(
                    broker.getVmConnectorURI() + "?create=false&jms.redeliveryPolicy.maximumRedeliveries=-1");
        }

        @Bean
        DefaultJmsListenerContainerFactory jmsListenerContainerFactory(ConnectionFactory connections) {
            DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
            factory.setConnectionFactory(connections);
            factory.setSessionTransacted(true);
            factory.setReceiveTimeout(50L);
            return factory;
        }

        @Bean
        JmsTemplate jmsTemplate(ConnectionFactory connections) {
            JmsTemplate template = new JmsTemplate(connections);
            template.setReceiveTimeout(5_000);
            return template;
        }
    }

    static class Payments {

        private final Set<String> received = ConcurrentHashMap.newKeySet();

        Set<String> received() {
            return received;
        }

        @JmsListener(id = "${app.listener}", destination = "payments")
        @OnLeader("billing")
        void pay(String message) {
            received.add(message);
        }
    }

    /** What a factory made. */
    static class Containers {

        final SmartLifecycle container;

        Containers(SmartLifecycle container) {
            this.container = container;
        }
    }

    /** Runs and stops as it is told, and is started by its registry if it may. */
    private static <T extends SmartLifecycle> T container(Class<T> type) {
        T container = mock(type);
        AtomicBoolean running = new AtomicBoolean();
        when(container.isRunning()).thenAnswer(call -> running.get());
        when(container.isAutoStartup()).thenReturn(true);
        doAnswer(call -> {
                    running.set(true);
                    return null;
                })
                .when(container)
                .start();
        doAnswer(call -> {
                    running.set(false);
                    call.<Runnable>getArgument(0).run();
                    return null;
                })
                .when(container)
                .stop(any());
        return container;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableKafka
    static class Kafka {

        private final ConcurrentMessageListenerContainer<?, ?> container =
                container(ConcurrentMessageListenerContainer.class);

        @Bean
        Containers containers() {
            return new Containers(container);
        }

        @Bean
        KafkaListenerContainerFactory<MessageListenerContainer> kafkaListenerContainerFactory() {
            doAnswer(call -> when(container.isAutoStartup()).thenReturn(call.getArgument(0)))
                    .when(container)
                    .setAutoStartup(anyBoolean());
            return new KafkaListenerContainerFactory<>() {
                @Override
                public MessageListenerContainer createListenerContainer(KafkaListenerEndpoint endpoint) {
                    return container;
                }

                @Override
                public MessageListenerContainer createContainer(TopicPartitionOffset... partitions) {
                    return container;
                }

                @Override
                public MessageListenerContainer createContainer(String... topics) {
                    return container;
                }

                @Override
                public MessageListenerContainer createContainer(Pattern pattern) {
                    return container;
                }
            };
        }

        @KafkaListener(id = "payments", topics = "payments")
        @OnLeader("billing")
        void pay(String message) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    static class Rabbit {

        private final SimpleMessageListenerContainer container = container(SimpleMessageListenerContainer.class);

        @Bean
        Containers containers() {
            return new Containers(container);
        }

        @Bean
        RabbitListenerContainerFactory<SimpleMessageListenerContainer> rabbitListenerContainerFactory() {
            doAnswer(call -> when(container.isAutoStartup()).thenReturn(call.getArgument(0)))
                    .when(container)
                    .setAutoStartup(anyBoolean());
            return endpoint -> container;
        }

        @RabbitListener(id = "payments", queues = "payments")
        @OnLeader("billing")
        void pay(String message) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @MessageMapping
    @interface QueueListener {}

    static class WithoutId {
        @JmsListener(destination = "payments")
        @OnLeader("billing")
        void run(String message) {}
    }

    static class Activator {
        @ServiceActivator(inputChannel = "payments")
        @OnLeader("billing")
        void run(String message) {}
    }

    static class FailingActivator {
        @ServiceActivator(inputChannel = "payments")
        @OnLeader(value = "billing", otherwise = OnLeader.Otherwise.FAIL)
        void run(String message) {}
    }

    static class OtherListener {
        @QueueListener
        @OnLeader("billing")
        void run(String message) {}
    }

    static class NotRegistered {
        @JmsListener(id = "lost", destination = "payments")
        @OnLeader("billing")
        void run(String message) {}
    }

    static class Source {
        @InboundChannelAdapter(channel = "payments", poller = @Poller(fixedDelay = "1000"))
        @OnLeader("billing")
        @Nullable
        String next() {
            return "payment";
        }
    }
}
