package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.LogCapture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OnceLogTest {

    private final OnceLog once = new OnceLog(LoggerFactory.getLogger(OnceLogTest.class));
    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(OnceLogTest.class);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void whatIsSaidAgainIsForDebuggingOnly() {
        once.warn("b", "cannot be reached");
        once.warn("b", "cannot be reached");
        once.warn("b", "refuses");
        once.warn("c", "cannot be reached");

        assertThat(log.lines())
                .containsExactly(
                        "WARN cannot be reached", "DEBUG cannot be reached", "WARN refuses", "WARN cannot be reached");
    }

    @Test
    void aSubjectThatWasWellIsWarnedOfAgain() {
        once.warn("b", "cannot be reached");
        once.warn("bb", "cannot be reached");
        once.well("b");
        once.warn("b", "cannot be reached");
        once.warn("bb", "cannot be reached");

        assertThat(log.lines())
                .containsExactly(
                        "WARN cannot be reached",
                        "WARN cannot be reached",
                        "WARN cannot be reached",
                        "DEBUG cannot be reached");
    }

    @Test
    void whatIsRememberedIsBounded() {
        once.warn("first", "x");
        for (int i = 0; i < 5_000; i++) {
            once.warn("subject " + i, "x");
        }
        once.warn("first", "x");

        assertThat(log.warnings("x")).hasSize(5_002);
    }
}
