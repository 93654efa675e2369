package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.LogCapture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class PeerOutageTest {

    private static final String WARNING =
            "WARN peer 'b' has been away for %d s: %s. Start it, or see to the network between it and this node";

    private long nanos = Long.MAX_VALUE - 7; // monotonic clocks may start anywhere, and wrap
    private final PeerOutage outage = new PeerOutage(LoggerFactory.getLogger(PeerOutageTest.class), "b", () -> nanos);
    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(PeerOutageTest.class);
    }

    @AfterEach
    void close() {
        log.close();
    }

    private void passSeconds(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void aPeerThatIsBackWithinTenSecondsIsNoWarning() {
        outage.goesOn("lost");
        passSeconds(10);
        nanos--;
        outage.goesOn("refused");
        outage.ends();
        passSeconds(1);
        outage.goesOn("lost");
        passSeconds(9);
        outage.goesOn("refused");

        assertThat(log.lines()).containsExactly("INFO lost", "DEBUG refused", "INFO lost", "DEBUG refused");
    }

    @Test
    void aPeerThatStaysAwayIsOneWarningWhateverItsProblems() {
        outage.goesOn("lost");
        passSeconds(10);
        outage.goesOn("refused");
        passSeconds(1);
        outage.goesOn("no route");

        assertThat(log.lines()).containsExactly("INFO lost", WARNING.formatted(10, "refused"), "DEBUG no route");
    }

    @Test
    void itIsWarnedOfAgainAfterTenMinutes() {
        outage.goesOn("lost");
        passSeconds(12);
        outage.goesOn("refused");
        passSeconds(599);
        outage.goesOn("refused");
        passSeconds(1);
        outage.goesOn("no route");
        outage.goesOn("no route");

        assertThat(log.warnings(""))
                .containsExactly(WARNING.formatted(12, "refused"), WARNING.formatted(612, "no route"));
    }

    @Test
    void theNextOutageIsWarnedOfAgain() {
        outage.goesOn("lost");
        passSeconds(10);
        outage.goesOn("refused");
        outage.ends();
        outage.goesOn("lost");
        passSeconds(10);
        outage.goesOn("refused");

        assertThat(log.warnings("")).hasSize(2);
    }
}
