package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.transport.Rejection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The reasons of the wire format have the names that users are shown. */
class ConnectionRefusalTest {

    @Test
    void everyRejectionIsAReason() {
        assertThat(names(ConnectionRefusal.values())).containsAll(names(Rejection.Reason.values()));
    }

    private static List<String> names(Enum<?>... values) {
        return Stream.of(values).map(Enum::name).toList();
    }
}
