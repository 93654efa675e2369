package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.netty.Refusal;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The reasons are named three times: for users, in the transport, which knows nothing of them, and in the wire format. */
class ConnectionRefusalTest {

    @Test
    void theTransportHasTheSameReasons() {
        assertThat(names(Refusal.values())).isEqualTo(names(ConnectionRefusal.values()));
    }

    @Test
    void everyRejectionIsAReason() {
        assertThat(names(ConnectionRefusal.values())).containsAll(names(Rejection.Reason.values()));
    }

    private static List<String> names(Enum<?>... values) {
        return Stream.of(values).map(Enum::name).toList();
    }
}
