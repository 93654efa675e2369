package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What people read of wall clocks: what has happened, with the numbers, and what to do. */
class ClockStatusReporterTest {

    private static final NodeId B = new NodeId("b");
    private static final PaxosLeaseOptions PAXOS_LEASE = HandEnvironment.OPTIONS;
    private static final PaxosLeaseOptions FLEASE = PaxosLeaseOptions.builder("a")
            .peer("a", "localhost:1")
            .peer("b", "localhost:2")
            .peer("c", "localhost:3")
            .algorithm(
                    FleaseOptions.builder().clockBound(Duration.ofMillis(400)).build())
            .build();

    private final HandClock clock = new HandClock();
    private final ClockStatusReporter news = new ClockStatusReporter(FLEASE, clock);
    private final LogCapture log = LogCapture.ofNode();

    @AfterEach
    void close() {
        log.close();
    }

    private static Effect outOfBound(boolean wasSet, @Nullable PeerClock worst) {
        return new Effect.ClockBound(false, wasSet, worst);
    }

    // The log

    @Test
    void whoIsOutOfBoundsReadsByHowMuchAndByWhoseClock() {
        news.apply(outOfBound(false, new PeerClock(B, 250_999, 1_001)));

        assertThat(log.lines())
                .containsExactly(
                        "WARN The wall clock of node 'a' is out of bounds: that of 'b' is 250 ms ahead of it, known to"
                                + " 2 ms, and half of the clock bound of PT0.4S is allowed. It does not participate, and its leases are lost,"
                                + " until a majority's clocks are that near: set the clocks right (NTP)");
    }

    @Test
    void noticesThatMessagesBringAboutAreLimited() {
        for (int i = 0; i < 1_000; i++) {
            news.apply(new Effect.Notice(Effect.Notice.Level.WARN, "another configuration " + i));
        }

        assertThat(log.warnings("another configuration")).hasSize(30);
    }

    @Test
    void aClockThatIsBehindIsSaidToBeBehind() {
        news.apply(outOfBound(true, new PeerClock(B, -10_000_000, 2_000)));

        assertThat(log.warnings("that of 'b' is 10000 ms behind it, known to 2 ms"))
                .hasSize(1);
    }

    @Test
    void whoseClockWasSetReadsThatAndHowToAvoidIt() {
        news.apply(outOfBound(true, null));

        assertThat(log.lines())
                .containsExactly("WARN The wall clock of node 'a' was set, or the machine was suspended: its leases are"
                        + " lost, and it does not participate until all it may have forgotten has expired, and the clocks of a majority are known to be within half of the clock"
                        + " bound of PT0.4S. Let NTP slew the clock instead of setting it");
    }

    @Test
    void whoCannotCompareItsClockReadsThatTheMembersHaveToReachEachOther() {
        news.apply(outOfBound(false, null));

        assertThat(log.lines())
                .containsExactly(
                        "WARN Node 'a' cannot compare its wall clock with a majority's: it does not participate, and its leases"
                                + " are lost, until those are known to be within half of the clock bound of PT0.4S. See that the members"
                                + " reach each other");
    }

    /** Any client may ask for a lease of any name. */
    @Test
    void aResourceStartsNoLineOfItsOwn() {
        String evil = "job\r\nWARN all is lost\u2028";
        news.apply(new Effect.ClocksApart(evil, 1_000, List.of()));
        news.apply(new Effect.Notice(Effect.Notice.Level.WARN, "'" + evil + "' cannot be read"));

        assertThat(log.lines()).hasSize(2).allMatch(line -> line.contains("job\\u000d\\u000aWARN all is lost\\u2028'"));
    }

    @Test
    void whoseClockIsBackReadsThatToo() {
        news.apply(new Effect.ClockBound(true, true, null));

        assertThat(log.lines())
                .containsExactly(
                        "INFO The wall clock of node 'a' is within the clock bound of PT0.4S again: it participates when"
                                + " all it may have forgotten has expired");
    }

    // Rounds and ballots from the future

    @Test
    void aRoundFromTheFutureIsReportedOnceAMinute() {
        news.apply(new Effect.ClockAhead(B, 1_500_000));
        clock.advance(Duration.ofMinutes(1).toNanos());
        news.apply(new Effect.ClockAhead(B, 1_600_000));
        assertThat(log.lines())
                .containsExactly(
                        "WARN Node 'b' uses rounds 1500 ms ahead of this node's wall clock: set both clocks right (NTP)");
        clock.advance(1);
        news.apply(new Effect.ClockAhead(B, 1_700_000));
        assertThat(log.warnings("1700 ms ahead")).hasSize(1);
    }

    /** The wall clock may be what is wrong. */
    @Test
    void aWallClockThatIsSetBackDoesNotKeepTheNextReport() {
        news.apply(new Effect.ClockAhead(B, 1_500_000));
        clock.advance(Duration.ofMinutes(2).toNanos());
        clock.setWall(Duration.ofHours(-1));
        news.apply(new Effect.ClockAhead(B, 3_600_000_000L));
        assertThat(log.warnings("3600000 ms ahead")).hasSize(1);
    }

    @Test
    void withPaxosLeaseTheyAreBallots() {
        new ClockStatusReporter(PAXOS_LEASE, clock).apply(new Effect.ClockAhead(B, 2_000_000));
        assertThat(log.warnings("Node 'b' uses ballots 2000 ms ahead")).hasSize(1);
    }

    // The status

    @Test
    void whatWasComparedLatelyIsShown() {
        PeerClock near = new PeerClock(B, -3, 2_000);
        assertThat(news.ofPeers()).isEmpty();
        news.apply(new Effect.ClocksCompared(List.of(near)));
        clock.advance(Duration.ofSeconds(5).toNanos());
        assertThat(news.ofPeers()).containsExactly(near);
        clock.advance(1);
        assertThat(news.ofPeers()).isEmpty();
        assertThat(log.lines()).isEmpty();
    }
}
