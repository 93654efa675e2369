package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.protocol.Printable;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names that would start log lines of their own, or turn them round, do neither, in the log and in messages of exceptions. */
class NamesInLogsTest {

    private static final String EVIL = "job\r\nWARN all is lost\u0000\u202e\u2028";
    private static final String FORM = "job\\u000d\\u000aWARN all is lost\\u0000\\u202e\\u2028";

    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.ofNode();
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void lostLeasesAreNamedOnOneLine() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            for (String name : List.of(EVIL, EVIL + 2, EVIL + 3)) {
                cell.node("a").acquire(name, AcquireOptions.renewing()).join();
            }
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(10));
        }
        assertThat(log.warnings("lost lease '" + FORM)).hasSize(1);
        assertThat(log.warnings("lost more leases")).hasSize(1).allMatch(line -> line.contains(FORM));
        assertThat(String.valueOf(log.fields("lost lease").get("resource"))).startsWith(FORM);
        assertThat(log.lines()).allMatch(NamesInLogsTest::isPrintable);
    }

    @Test
    void deniedLeasesAndLocksAreNamedOnOneLine() {
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            cell.node("a").acquire(EVIL, AcquireOptions.renewing()).join();
            assertThat(message(() -> cell.node("b")
                            .acquire(
                                    EVIL,
                                    AcquireOptions.builder()
                                            .maxWait(Duration.ZERO)
                                            .build())
                            .join()))
                    .contains(FORM);
            Lock lock = new LeaseLocks(cell.node("b"), LockOptions.defaults()).get(EVIL);
            assertThat(message(lock::unlock)).contains(FORM);
        }
    }

    @Test
    void rolesAreNamedOnOneLineAndSoAreTheirThreads() throws InterruptedException {
        log.close();
        log = LogCapture.of(LeaderElection.class);
        Telling candidate = new Telling();
        try (InMemoryCell cell = InMemoryCell.of("a");
                LeaderElection election = LeaderElection.builder(cell.node("a"), EVIL)
                        .resource("r")
                        .build(candidate)) {
            election.start();
            candidate.leads.await();
        }
        Eventually.until("it is told", () -> log.count("leads role '" + FORM + "'") > 1);
        assertThat(candidate.thread).endsWith(FORM);
        assertThat(log.lines()).allMatch(NamesInLogsTest::isPrintable);
    }

    @Test
    void optionsAreNamedOnOneLine() {
        for (ThrowingCallable wrong : List.<ThrowingCallable>of(
                () -> PaxosLeaseOptions.builder(EVIL).build(),
                () -> PaxosLeaseOptions.builder("a").cell(EVIL).build(),
                () -> PaxosLeaseOptions.builder("a").peer(EVIL, "10.0.0.1:70000"),
                () -> PaxosLeaseOptions.builder("a").peer(EVIL, "10.0.0.1:7400").peer(EVIL, "10.0.0.1:7401"),
                () -> PaxosLeaseOptions.builder("a").peer("a", EVIL))) {
            assertThat(message(wrong)).contains(FORM);
        }
        assertThatThrownBy(() -> PaxosLeaseOptions.builder("x".repeat(100_000)).build())
                .hasMessageMatching("(?s).{0,1300}");
    }

    /** It is looked up, and named in the log when it does not resolve. */
    @Test
    void aHostWithCharactersThatAreNotSeenIsRefused() {
        for (String host : List.of("a\u0000", "a\u202e", "a\u2028", "a\u00a0", "a\u200b")) {
            assertThatThrownBy(() -> PaxosLeaseOptions.builder("a").peer("a", host + ":7400"))
                    .isInstanceOf(InvalidOptionException.class);
        }
    }

    private static final class Telling implements LeaderCandidate {

        private final CountDownLatch leads = new CountDownLatch(1);
        private volatile String thread = "";

        @Override
        public void onGranted(Leadership leadership) {
            thread = Thread.currentThread().getName();
            leads.countDown();
        }

        @Override
        public void onRevoked(Leadership leadership) {}
    }

    private static String message(ThrowingCallable code) {
        Throwable thrown = Objects.requireNonNull(catchThrowable(code), "nothing was thrown");
        String message = String.valueOf(thrown.getMessage());
        assertThat(message).matches(NamesInLogsTest::isPrintable);
        return message;
    }

    private static boolean isPrintable(String line) {
        return line.codePoints().allMatch(Printable::is);
    }
}
