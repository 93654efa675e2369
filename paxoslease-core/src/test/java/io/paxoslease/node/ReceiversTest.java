package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.transport.Transport;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers have methods that do nothing by default. */
class ReceiversTest {

    @ParameterizedTest
    @ValueSource(classes = {InboundGate.class, RegisterReceiver.class})
    void whoStandsBetweenTransportAndNodeHandsEverythingOn(Class<?> between) {
        assertThat(Stream.of(Transport.Receiver.class.getMethods()))
                .isNotEmpty()
                .allSatisfy(
                        method -> assertThat(between.getDeclaredMethod(method.getName(), method.getParameterTypes()))
                                .isNotNull());
    }
}
