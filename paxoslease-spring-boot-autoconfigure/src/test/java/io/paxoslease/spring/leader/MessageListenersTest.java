package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.annotation.InboundChannelAdapter;
import org.springframework.integration.annotation.Poller;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.annotation.Transformer;
import org.springframework.messaging.handler.annotation.MessageMapping;

/** Methods that take messages, with {@link OnLeader}. */
class MessageListenersTest {

    private static final String OR_FAIL =
            " Or let calls fail on followers, with otherwise = FAIL, if the sender or the broker then sends the message again.";

    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withPropertyValues("paxoslease.roles.billing.eligible=false");

    static Arguments[] misuses() {
        return new Arguments[] {
            Arguments.of(
                    Activator.class,
                    "Activator.run() is a @ServiceActivator, and a follower would take messages and drop them.",
                    "Remove @OnLeader, and let the endpoint run with the role: put Spring Integration's @Role(\"billing\") on the"
                            + " method, and autoStartup = \"false\" into @ServiceActivator."),
            Arguments.of(
                    OfAClass.class,
                    "OfAClass.run() is a @Transformer, and a follower would take messages and drop them.",
                    "Remove @OnLeader, and let the endpoint run with the role: put Spring Integration's @Role(\"leader\") on the"
                            + " method, and autoStartup = \"false\" into @Transformer."),
            Arguments.of(
                    Listener.class,
                    "Listener.run() is a @QueueListener, and a follower would take messages and drop them.",
                    "Remove @OnLeader, give the listener an id, keep its container from starting by itself, as with autoStartup ="
                            + " \"false\", and start and stop the container in @OnGranted and @OnRevoked methods."),
        };
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void whatWouldDropMessagesIsRefused(Class<?> bean, String problem, String action) {
        runner.withUserConfiguration(bean).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(OnLeaderUsageException.class, failure -> {
                    assertThat(failure.description())
                            .isEqualTo("The @OnLeader method " + MessageListenersTest.class.getName() + "$" + problem);
                    assertThat(failure.action()).isEqualTo(action + OR_FAIL);
                }));
    }

    @Test
    void callsThatFailAreAllowed() {
        runner.withUserConfiguration(Failing.class).run(context -> assertThatExceptionOfType(NotLeaderException.class)
                .isThrownBy(() -> context.getBean(Failing.class).run("x")));
    }

    /** It sends messages, and has none to lose. */
    @Test
    void aSourceOfMessagesIsAllowed() {
        runner.withUserConfiguration(Source.class)
                .run(context -> assertThat(context.getBean(Source.class).next()).isNull());
    }

    static class Activator {
        @ServiceActivator(inputChannel = "payments")
        @OnLeader("billing")
        void run(String message) {}
    }

    @OnLeader
    static class OfAClass {
        @Transformer(inputChannel = "payments")
        String run(String message) {
            return message;
        }
    }

    /** As those of brokers are. */
    @Retention(RetentionPolicy.RUNTIME)
    @MessageMapping
    @interface QueueListener {}

    static class Listener {
        @QueueListener
        @OnLeader("billing")
        void run(String message) {}
    }

    static class Failing {
        @ServiceActivator(inputChannel = "payments")
        @OnLeader(value = "billing", otherwise = OnLeader.Otherwise.FAIL)
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
