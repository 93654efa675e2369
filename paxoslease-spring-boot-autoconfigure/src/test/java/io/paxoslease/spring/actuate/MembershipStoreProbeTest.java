package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MembershipStoreProbeTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Membership STORED = new Membership(
            GenerationOptions.first(),
            Map.of("a", InetSocketAddress.createUnresolved("a", 1)),
            Duration.ofSeconds(5),
            0.1,
            false);

    private final AtomicInteger reads = new AtomicInteger();

    private interface Reading {
        @Nullable
        Membership read() throws IOException;
    }

    private MembershipStoreProbe probe(Reading reading) {
        return new MembershipStoreProbe(new MembershipStore() {
            @Override
            public @Nullable Membership read() throws IOException {
                reads.incrementAndGet();
                return reading.read();
            }

            @Override
            public boolean replace(@Nullable Membership expected, Membership next) {
                throw new UnsupportedOperationException();
            }

            @Override
            public String describe() {
                return "shelf";
            }
        });
    }

    /** Of a store that hangs until then. */
    private MembershipStoreProbe probe(CountDownLatch answer) {
        return probe(() -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return STORED;
        });
    }

    @Test
    void anAnswerIsKeptAsLongAsItMayBeOld() {
        MembershipStoreProbe probe = probe(() -> STORED);
        assertThat(probe.result(HOUR, LONG)).isEqualTo(new MembershipStoreProbe.Result(STORED, null));
        assertThat(probe.result(HOUR, LONG).stored()).isEqualTo(STORED);
        assertThat(reads).hasValue(1);
        probe.result(Duration.ZERO, LONG);
        assertThat(reads).hasValue(2);
    }

    @Test
    void whatTheStoreFailsWithIsTheProblem() {
        assertThat(probe(() -> {
                            throw new IOException("The shelf is bare");
                        })
                        .result(HOUR, LONG))
                .isEqualTo(new MembershipStoreProbe.Result(null, "The shelf is bare"));
        assertThat(probe(() -> {
                            throw new IllegalStateException("oops");
                        })
                        .result(HOUR, LONG)
                        .problem())
                .isEqualTo("The shelf cannot be read: java.lang.IllegalStateException: oops");
    }

    /** And is not asked by one more thread each time somebody looks. */
    @Test
    void aStoreThatHangsDelaysNobodyForLong() {
        CountDownLatch answer = new CountDownLatch(1);
        MembershipStoreProbe probe = probe(answer);
        for (int i = 0; i < 3; i++) {
            assertThat(probe.result(Duration.ZERO, Duration.ofMillis(5)).problem())
                    .startsWith("The shelf has not answered for ");
        }
        assertThat(reads).hasValueLessThanOrEqualTo(1);
        answer.countDown();
        assertThat(probe.result(HOUR, LONG).stored()).isEqualTo(STORED);
        assertThat(reads).hasValue(1);
    }

    @Test
    void aCallerThatIsInterruptedIsTold() {
        CountDownLatch answer = new CountDownLatch(1);
        Thread.currentThread().interrupt();
        assertThat(probe(answer).result(Duration.ZERO, LONG).problem()).startsWith("Interrupted before the shelf");
        assertThat(Thread.interrupted()).isTrue();
        answer.countDown();
    }
}
