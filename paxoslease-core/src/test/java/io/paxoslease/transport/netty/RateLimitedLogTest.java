package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.testing.LogCapture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RateLimitedLogTest {

    private long nanos = Long.MAX_VALUE - 7; // monotonic clocks may start anywhere, and wrap
    private final RateLimitedLog once =
            new RateLimitedLog(LoggerFactory.getLogger(RateLimitedLogTest.class), () -> nanos);
    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(RateLimitedLogTest.class);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void whatIsSaidAgainIsForDebuggingOnly() {
        once.warn("b", null, "cannot be reached");
        once.warn("b", null, "cannot be reached");
        once.warn("b", null, "refuses");
        once.warn("c", null, "cannot be reached");

        assertThat(log.lines())
                .containsExactly(
                        "WARN cannot be reached", "DEBUG cannot be reached", "WARN refuses", "WARN cannot be reached");
    }

    @Test
    void aSubjectThatWasWellIsWarnedOfAgain() {
        once.warn("b", null, "cannot be reached");
        once.warn("bb", null, "cannot be reached");
        once.well("b");
        once.warn("b", null, "cannot be reached");
        once.warn("bb", null, "cannot be reached");

        assertThat(log.lines())
                .containsExactly(
                        "WARN cannot be reached",
                        "WARN cannot be reached",
                        "WARN cannot be reached",
                        "DEBUG cannot be reached");
    }

    @Test
    void whatIsRememberedIsBounded() {
        once.warn("first", null, "x");
        for (int i = 0; i < 5_000; i++) {
            once.warn("subject " + i, null, "x");
        }
        once.warn("first", null, "x");

        assertThat(log.warnings("x")).hasSize(5_002);
    }

    /** Junk from an address may come from any process behind it; that its member is refused is another matter. */
    @Test
    void manyFaultsOfOneReasonHideNoneOfAnother() {
        for (int i = 0; i < 100; i++) {
            once.warn("10.0.0.1", ConnectionRefusal.MALFORMED, "junk " + i);
        }
        once.warn("10.0.0.1", ConnectionRefusal.CONFIGURATION, "the peers differ");

        assertThat(log.warnings("junk")).hasSize(RateLimitedLog.MAX_MESSAGES);
        assertThat(log.warnings("the peers differ")).hasSize(1);
    }

    @Test
    void afterTenMinutesItIsSaidAgain() {
        once.warn("b", ConnectionRefusal.EXPIRED_CERTIFICATE, "expired");
        nanos += RateLimitedLog.EXPIRY_NANOS - 1;
        once.warn("b", ConnectionRefusal.EXPIRED_CERTIFICATE, "expired");
        nanos += 1;
        once.warn("b", ConnectionRefusal.EXPIRED_CERTIFICATE, "expired");
        once.warn("b", ConnectionRefusal.EXPIRED_CERTIFICATE, "expired");

        assertThat(log.lines()).containsExactly("WARN expired", "DEBUG expired", "WARN expired", "DEBUG expired");
    }

    @Test
    void aSubjectThatIsWellForgetsEveryReason() {
        once.warn("b", ConnectionRefusal.EXPIRED_CERTIFICATE, "expired");
        once.warn("b", null, "cannot be reached");
        once.well("b");
        once.warn("b", ConnectionRefusal.EXPIRED_CERTIFICATE, "expired");
        once.warn("b", null, "cannot be reached");

        assertThat(log.warnings("")).hasSize(4);
    }

    /** Otherwise a thousand addresses would make every fault news again. */
    @Test
    void whatWasSaidLatelyIsRememberedWhenManyHaveFaults() {
        for (int i = 0; i < 1_000; i++) {
            once.warn("10.0.0." + i, ConnectionRefusal.MALFORMED, "junk");
        }
        once.warn("b", null, "cannot be reached");
        once.warn("10.0.1.1", ConnectionRefusal.MALFORMED, "junk");
        once.warn("b", null, "cannot be reached");

        assertThat(log.warnings("cannot be reached")).hasSize(1);
    }

    /** A host that introduces itself well between its faults, again and again, is heard of no more often. */
    @Test
    void noSubjectHasMoreLinesOfAReasonHoweverOftenItIsWell() {
        for (int i = 0; i < 1_000; i++) {
            once.warnOfHost("10.0.0.1", ConnectionRefusal.MALFORMED, "junk");
            once.well("10.0.0.1");
        }
        for (int i = 0; i < 1_000; i++) {
            once.warn("b", null, "cannot be reached");
            once.well("b");
        }

        assertThat(log.warnings("junk")).hasSize(RateLimitedLog.MAX_MESSAGES);
        assertThat(log.warnings("cannot be reached")).hasSize(RateLimitedLog.MAX_MESSAGES);
    }

    @Test
    void allHostsTogetherHaveSoManyLinesAMinuteAndPeersTheirOwn() {
        for (int i = 0; i < 10_000; i++) {
            once.warnOfHost("10.0.%d.%d".formatted(i / 250, i % 250), ConnectionRefusal.MALFORMED, "junk " + i);
        }
        once.warn("b", null, "cannot be reached");
        once.warn("b", null, "cannot be reached");

        assertThat(log.warnings("junk")).hasSize(RateLimitedLog.MAX_OF_HOSTS);
        assertThat(log.warnings("cannot be reached")).hasSize(1);
    }

    @Test
    void oneLineAMinuteSaysHowManyWereLeftOut() {
        for (int i = 0; i < 100; i++) {
            once.warnOfHost("10.0.0.1", ConnectionRefusal.MALFORMED, "junk " + i);
        }
        once.warnOfHost("10.0.0.2", ConnectionRefusal.BUSY, "too many");
        once.warnOfHost("10.0.0.2", ConnectionRefusal.BUSY, "too many");
        for (int second = 0; second < 200; second++) {
            nanos += 1_000_000_000L;
            once.tick();
        }

        assertThat(log.warnings("In the last minute"))
                .containsExactly(
                        "WARN In the last minute 96 refused connections were not logged one by one, as lines like theirs had been written: {BUSY=1, MALFORMED=95}; the last one of 10.0.0.2");
    }
}
