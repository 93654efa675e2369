package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.LogCapture;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does not depend on the kind of the stores, or on their being of one kind. */
@Tag("slow")
class ReliableRegisterTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final byte[] ONE = {1};

    private final Random random = new Random(5);
    private final MapRegister a = new MapRegister("A", true);
    private final MapRegister b = new MapRegister("B", true);
    private final MapRegister c = new MapRegister("C", true);

    private Register open() {
        return new ReliableRegister(List.of(a, b, c), TIMEOUT, random);
    }

    /** Equal stamps would let two contents stand at once. */
    @Test
    void noTwoWritesHaveTheSameStampAlsoWhenTheySawTheSame() throws IOException {
        Register register = open();
        String first = stampOf(register, "x");
        String second = stampOf(register, "y");
        String others = stampOf(open(), "z");
        assertThat(List.of(first, second, others)).doesNotHaveDuplicates();
    }

    private String stampOf(Register writer, String name) throws IOException {
        writer.write(name, ONE);
        Eventually.until("all have it", () -> List.of(a, b, c).stream().allMatch(store -> store.size() == 1));
        Stamped found = MonotonicRegister.of(a).read(name);
        for (MapRegister store : List.of(a, b, c)) {
            store.delete(name);
        }
        return Objects.requireNonNull(found).digits();
    }

    @Test
    void whatIsWrittenIsWhatItWasWhenTheWriteBegan() throws IOException {
        MapRegister slow = new MapRegister("slow", false);
        CountDownLatch hangs = new CountDownLatch(1);
        slow.hangUntil(hangs);
        byte[] content = {1};
        new ReliableRegister(List.of(a, b, slow), TIMEOUT, random).write("x", content);
        Eventually.until("it is asked for what is there, and to raise it", () -> slow.hanging() == 2);
        content[0] = 2;
        slow.fault(MapRegister.NONE);
        hangs.countDown();
        Eventually.until("it arrives, with the marker", () -> slow.size() == 2);
        Stamped found = MonotonicRegister.of(slow).read("x");
        assertThat(Objects.requireNonNull(found).content()).isEqualTo(ONE);
    }

    @Test
    void storesOfSeveralKindsDoWhatEachOfThemCan() throws IOException {
        MapRegister byName = new MapRegister("by name", false);
        Register incompatible = new ReliableRegister(List.of(a, b, byName), TIMEOUT, random);
        incompatible.write("n".repeat(VersionsByName.LONGEST_NAME), ONE);
        assertThatThrownBy(() -> incompatible.write("n".repeat(VersionsByName.LONGEST_NAME + 1), ONE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(incompatible.listsNames()).isTrue();
        MapRegister silent = new MapRegister("silent", true).withoutNames();
        Register without = new ReliableRegister(List.of(a, b, silent), TIMEOUT, random);
        assertThat(without.listsNames()).isFalse();
        assertThatThrownBy(() -> without.names("")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThatThrownBy(() -> new ReliableRegister(List.of(a, b, c, new MapRegister("D", true)), TIMEOUT, random))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("an odd number, not 4");
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofMillis(-1))) {
            assertThatThrownBy(() -> new ReliableRegister(List.of(a, b, c), timeout, random))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be positive");
        }
    }

    /** It would take the timeout, and say so. */
    @Test
    void aThirdStoreIsNotWaitedForWhenTwoHaveFailed() {
        CountDownLatch hangs = new CountDownLatch(1);
        a.fault(MapRegister.FAILS);
        b.fault((operation, name) -> {
            throw new IllegalStateException("a bug");
        });
        c.hangUntil(hangs);
        assertThatThrownBy(() -> open().read("x"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "Of 3 stores, 0 answered, and 2 have to: map A: out of order; map B: a bug; map C: no answer");
        hangs.countDown();
    }

    @Test
    void whoIsInterruptedIsToldAndKeepsTheFlag() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> open().read("x")).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aBaseIsNotHeldUpByOneAccessThatHangs() throws IOException {
        CountDownLatch hangs = new CountDownLatch(1);
        a.hangUntil(hangs);
        Register register = open();
        register.write("x", ONE);
        Eventually.until("both accesses of the write hang", () -> a.hanging() == 2);
        a.fault(MapRegister.NONE);
        b.fault(MapRegister.FAILS);
        register.write("y", ONE);
        assertThat(register.read("y")).isEqualTo(ONE);
        hangs.countDown();
    }

    @Test
    void aStoreThatFailsIsMissing() throws IOException {
        Register register = open();
        register.write("x", ONE);
        assertThat(register.missing()).isEmpty();
        b.fault(MapRegister.FAILS);
        register.read("x");
        Eventually.until("it is missing", () -> register.missing().equals(Map.of("2 of 3, map B", "out of order")));
    }

    @Test
    @Timeout(60)
    void aStoreThatHangsIsMissing() throws IOException {
        CountDownLatch hangs = new CountDownLatch(1);
        c.hangUntil(hangs);
        Register register = new ReliableRegister(List.of(a, b, c), Duration.ofMillis(500), random);
        while (register.missing().isEmpty()) {
            register.read("x");
        }
        assertThat(register.missing()).isEqualTo(Map.of("3 of 3, map C", "no answer"));
        hangs.countDown();
    }

    /** The first contact opens connections, and may take longer than an access: seconds, but not for ever. The only test that waits so long. */
    @Test
    @Timeout(60)
    void theCheckHasFiveSeconds() throws IOException {
        CountDownLatch hangs = new CountDownLatch(1);
        c.hangUntil(hangs);
        Register register = new ReliableRegister(List.of(a, b, c), Duration.ofMillis(1), random);
        long start = System.nanoTime();
        try (LogCapture log = LogCapture.of(ReliableRegister.class)) {
            register.check();
            assertThat(log.warnings("")).hasSize(1);
            assertThat(log.warnings("map C: no answer")).hasSize(1);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(5));
        hangs.countDown();
    }
}
