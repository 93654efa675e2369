package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.testing.Futures;
import io.paxoslease.testing.TestCell;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which names and times a cell of three takes. */
@Tag("slow")
class AcquireBoundsTest {

    private static final Duration TIME_TO_ASK = Duration.ofMillis(20);

    private static final Duration LEASE_TIME = Duration.ofSeconds(2);
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE =
            RENEWING.toBuilder().maxWait(Duration.ZERO).build();

    private static TestCell cell;
    private static PaxosLease a;
    private static PaxosLease b;

    private final String resource = "r-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        cell = TestCell.started(LEASE_TIME);
        a = cell.node("a");
        b = cell.node("b");
    }

    @AfterAll
    static void stop() {
        cell.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u0000", "ä ö\n", "😀"})
    void aResourceNameMayHaveAnyCharacters(String start) throws InterruptedException {
        String name = start + resource;
        Lease lease = Futures.get(a.acquire(name, RENEWING));

        assertThat(b.tryAcquire(name, ONCE)).isEmpty();
        lease.release();
        Futures.get(b.acquire(name, RENEWING)).release();
    }

    @Test
    void aResourceNameHasAtMost255Bytes() throws InterruptedException {
        String longest = "é".repeat(109) + resource.substring(1);
        assertThat(longest.getBytes(StandardCharsets.UTF_8)).hasSize(255);
        Futures.get(a.acquire(longest, RENEWING)).release();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> a.acquire(longest + "x", RENEWING))
                .withMessage(
                        "A resource name has 1 to 255 bytes of UTF-8, this one has 256: "
                                + "shorten it, or use a hash of it: '%sx'",
                        longest);
        assertThatIllegalArgumentException().isThrownBy(() -> a.tryAcquire(longest + "x", ONCE));
        assertThatIllegalArgumentException().isThrownBy(() -> a.acquire("", RENEWING));
    }

    /** On the wire, half a surrogate pair becomes a question mark: the others would grant something else. */
    @Test
    void aResourceNameThatIsNoUnicodeIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> a.acquire("half \uD83D", ONCE));
    }

    /** Asking takes two rounds; a limit on the wait is about waiting for a holder, and here nobody holds anything. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, 50, 100, 200, 400, 800})
    void aFreeLeaseIsGrantedHoweverShortTheWait(long micros) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            granted(resource + i, Duration.ofNanos(1_000 * micros)).release();
        }
    }

    /** Denied only on a machine that stands still for longer than a request may take to ask. */
    private Lease granted(String name, Duration wait) throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            long asked = System.nanoTime();
            Optional<Lease> lease =
                    a.tryAcquire(name, RENEWING.toBuilder().maxWait(wait).build());
            if (lease.isPresent()) {
                return lease.get();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - asked))
                    .as("not granted though free, and there was no time to ask")
                    .isGreaterThanOrEqualTo(TIME_TO_ASK);
        }
        throw new AssertionError("not granted though free");
    }

    @Test
    void aLeaseTimeAboveTheMaximumIsRefused() {
        AcquireOptions tooLong = AcquireOptions.fixed(LEASE_TIME.plusNanos(1));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> a.acquire(resource, tooLong))
                .withMessageContaining("at most the cell's maximum lease time, PT2S, not PT2.000000001S")
                .withMessageContaining("raise maxLeaseTime");
        assertThatIllegalArgumentException().isThrownBy(() -> a.tryAcquire(resource, tooLong));
    }

    @Test
    void aLeaseAsLongAsTheMaximumIsGranted() throws InterruptedException {
        Lease lease = Futures.get(a.acquire(resource, AcquireOptions.fixed(LEASE_TIME)));

        assertThat(lease.isHeld()).isTrue();
        lease.release();
    }
}
