package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Checks that hang, and those after them. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class TimedChecksTest {

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicBoolean interrupted = new AtomicBoolean();
    private volatile BooleanSupplier check = () -> true;
    private final TimedChecks checks =
            new TimedChecks("billing", "ledgers", () -> check.getAsBoolean(), Duration.ofMillis(100));

    @AfterEach
    void close() {
        end.countDown();
        checks.stop();
    }

    /** As a call of a driver that waits for a connection behind a firewall. */
    private boolean hangUntilTheTestEnds() {
        while (true) {
            try {
                end.await();
                return true;
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        }
    }

    @Test
    void aCheckThatHangsIsInterruptedAndTheNextIsMadeOnAnotherThread() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        check = () -> {
            threads.add(Thread.currentThread());
            return hangUntilTheTestEnds();
        };
        assertThat(checks.isUp()).isFalse();
        await().until(interrupted::get);
        check = () -> {
            threads.add(Thread.currentThread());
            return true;
        };
        await().until(checks::isUp);
        assertThat(threads).hasSizeGreaterThan(1).allSatisfy(thread -> {
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getName()).isEqualTo("paxoslease-health-check-billing");
        });
    }

    @Test
    void noCheckBeginsWhileThreeHang() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        check = () -> {
            begun.incrementAndGet();
            return hangUntilTheTestEnds();
        };
        while (begun.get() < 3) {
            assertThat(checks.isUp()).isFalse();
        }
        check = () -> {
            begun.incrementAndGet();
            return true;
        };
        assertThat(checks.isUp()).isFalse();
        assertThat(begun).hasValue(3);
        end.countDown();
        await().until(checks::isUp);
    }

    /** The late answer comes while the newer check is under way. */
    @Test
    void aLateAnswerIsNotThatOfTheNewerCheck() throws Exception {
        check = this::hangUntilTheTestEnds;
        assertThat(checks.isUp()).isFalse();
        check = () -> {
            end.countDown();
            return false;
        };
        assertThat(checks.isUp()).isFalse();
        assertThat(checks.isUp()).isFalse();
    }

    @Test
    void anInterruptReachesNoLaterCheck() throws Exception {
        check = () -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return false;
        };
        assertThat(checks.isUp()).isFalse();
        check = () -> !Thread.currentThread().isInterrupted();
        await().until(checks::isUp);
    }

    @Test
    void aCheckThatFailsDoesNotCountAsOneThatHangs() {
        check = () -> {
            throw new IllegalStateException("planned");
        };
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(checks::isUp)
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("planned");
        }
        check = () -> true;
        await().until(checks::isUp);
    }

    @Test
    void theLogSaysOnceThatChecksHangAndWhere(CapturedOutput output) throws Exception {
        check = this::hangUntilTheTestEnds;
        await().until(() -> !checks.isUp() && output.getOut().contains("3 checks of"));
        assertThat(checks.isUp()).isFalse();
        assertThat(output.getOut())
                .containsOnlyOnce("A check of the health group 'ledgers' has not ended within 100 ms")
                .containsOnlyOnce("hangUntilTheTestEnds")
                .containsOnlyOnce("3 checks of the health group 'ledgers' hang");
        end.countDown();
        check = () -> true;
        await().until(checks::isUp);
        CountDownLatch never = new CountDownLatch(1);
        check = () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return true;
        };
        assertThat(checks.isUp()).isFalse();
        assertThat(output.getOut().split("has not ended within 100 ms", -1)).hasSize(1 + 2);
    }
}
