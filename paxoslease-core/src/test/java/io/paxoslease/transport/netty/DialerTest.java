package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import java.util.LongSummaryStatistics;
import java.util.SplittableRandom;
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

    /** When a member with 10,000 clients restarts, they come over five seconds, and go on so while it is down. */
    @Test
    void clientsOfACrowdSpreadOverTheTimeThatTheyWereTold() {
        SplittableRandom random = new SplittableRandom(1);
        LongSummaryStatistics first = LongStream.range(0, 10_000)
                .map(client -> Dialer.spreadMillis(0, 5_000, random))
                .summaryStatistics();
        LongSummaryStatistics later = LongStream.range(0, 10_000)
                .map(client -> Dialer.spreadMillis(3, 5_000, random))
                .summaryStatistics();

        assertThat(first.getMin()).isLessThan(10);
        assertThat(first.getMax()).isBetween(4_990L, 5_000L);
        assertThat(first.getAverage()).isBetween(2_400.0, 2_600.0);
        assertThat(later.getMin()).isBetween(2_500L, 2_510L);
        assertThat(later.getMax()).isBetween(7_490L, 7_500L);
        assertThat(Dialer.spreadMillis(0, 0, random)).isZero();
        assertThat(Dialer.spreadMillis(7, 0, random)).isZero();
    }
}
