package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.ConnectionRefusal;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How long a node waits until it dials again. */
class DialerTest {

    private static LongStream waits(@Nullable ConnectionRefusal refusal) {
        return IntStream.of(0, 1, 5, 100, Integer.MAX_VALUE)
                .mapToLong(failures -> Dialer.longestRetryMillis(failures, refusal));
    }

    @Test
    void aPeerThatIsDownIsDialledOnceASecond() {
        assertThat(waits(null)).containsExactly(50L, 100L, 1_000L, 1_000L, 1_000L);
        assertThat(waits(ConnectionRefusal.CONFIGURATION)).containsExactly(50L, 100L, 1_000L, 1_000L, 1_000L);
    }

    @Test
    void aMemberThatHasNoRoomForClientsIsDialledEveryTenSeconds() {
        assertThat(waits(ConnectionRefusal.BUSY)).containsExactly(50L, 100L, 1_600L, 10_000L, 10_000L);
        assertThat(waits(ConnectionRefusal.CLIENTS_REFUSED)).containsExactly(50L, 100L, 1_600L, 10_000L, 10_000L);
    }
}
