package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.OncePerMinute;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.LogRate;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a node says of wall clocks and of what its algorithm notices, for people. The node's thread applies effects; any thread may ask. */
final class ClockStatusReporter {

    private static final Logger log = LoggerFactory.getLogger(ClockStatusReporter.class);
    private static final long CURRENT_NANOS = Duration.ofSeconds(5).toNanos();

    private record Compared(List<PeerClock> clocks, Moment at) {}

    private static final int NOTICES_A_MINUTE = 30;

    private final PaxosLeaseOptions options;
    private final NodeAlgorithm algorithm;
    private final NodeClock clock;
    private final Moment began;
    private final LogRate rate = new LogRate(NOTICES_A_MINUTE);
    /** Of its own, as notices that strangers cause must not hide where this node's clock stands. */
    private final LogRate ofBounds = new LogRate(NOTICES_A_MINUTE);

    private volatile @Nullable Compared last;
    private final OncePerMinute ofAhead = new OncePerMinute();
    private final OncePerMinute ofApart = new OncePerMinute();

    ClockStatusReporter(PaxosLeaseOptions options, NodeClock clock) {
        this.options = options;
        this.algorithm = NodeAlgorithm.of(options.algorithm());
        this.clock = clock;
        this.began = clock.read().moment();
    }

    void apply(Effect effect) {
        if (effect instanceof Effect.ClocksCompared compared) {
            last = new Compared(compared.clocks(), clock.read().moment());
        } else if (effect instanceof Effect.ClockBound bound) {
            if (isAdmitted(ofBounds)) {
                tell(bound);
            }
        } else if (effect instanceof Effect.ClockAhead ahead) {
            alarm(ahead);
        } else if (effect instanceof Effect.ClocksApart apart) {
            alarm(apart);
        } else if (effect instanceof Effect.Notice notice
                && (notice.level() == Effect.Notice.Level.ERROR || isAdmitted(rate))) {
            report(notice);
        }
    }

    /** What other nodes say brings these about, as often as they say it. No such line keeps an error of this node from being told. */
    private boolean isAdmitted(LogRate rate) {
        long now = began.nanosUntil(clock.read().moment());
        long leftOut = rate.takeLeftOut(now);
        if (leftOut > 0) {
            log.warn(
                    "{} notices of node '{}' were not logged: there were more than {} in a minute",
                    leftOut,
                    Printable.name(options.nodeId()),
                    NOTICES_A_MINUTE);
        }
        return rate.admits(now);
    }

    private static void report(Effect.Notice notice) {
        switch (notice.level()) {
            case INFO -> log.info("{}", Printable.line(notice.text()));
            case WARN -> log.warn("{}", Printable.line(notice.text()));
            case ERROR -> log.error("{}", Printable.line(notice.text()));
        }
    }

    /** Once in a while: every attempt of every resource would be one. */
    private void alarm(Effect.ClocksApart apart) {
        if (ofApart.isDue(clock.read().moment())) {
            log.warn(
                    "No lease can be granted: the wall clocks of the members are too far apart for a majority to agree on a ballot"
                            + " (seen for '{}'). Compared with node '{}': {}; at most {} ms apart are allowed. Set the clocks"
                            + " right on every node (NTP); a clock that was ahead counts as ahead until it has caught up, or its"
                            + " node is restarted",
                    Printable.name(apart.resource()),
                    options.nodeId(),
                    Printable.line(apart.offsets().stream()
                            .map(ClockStatusReporter::text)
                            .collect(Collectors.joining(", "))),
                    apart.allowedMicros() / 1_000);
        }
    }

    private static String text(Effect.ClocksApart.Offset offset) {
        return "%s %d ms %s"
                .formatted(
                        offset.acceptor(),
                        Math.abs(offset.aheadMicros()) / 1_000,
                        offset.aheadMicros() < 0 ? "behind" : "ahead");
    }

    private void tell(Effect.ClockBound news) {
        Object bound = algorithm.clockBound();
        PeerClock worst = news.worst();
        if (news.kept()) {
            log.info(
                    "The wall clock of node '{}' is within the clock bound of {} again: it participates when all it may have"
                            + " forgotten has expired",
                    options.nodeId(),
                    bound);
        } else if (worst != null) {
            log.warn(
                    "The wall clock of node '{}' is out of bounds: that of '{}' is {} ms {} it, known to {} ms, and half of the"
                            + " clock bound of {} is allowed. It does not participate, and its leases are lost, until a majority's"
                            + " clocks are that near: set the clocks right (NTP)",
                    options.nodeId(),
                    worst.node(),
                    Math.abs(worst.offsetMicros()) / 1_000,
                    worst.offsetMicros() < 0 ? "behind" : "ahead of",
                    (worst.uncertaintyMicros() + 999) / 1_000,
                    bound);
        } else if (news.wasSet()) {
            log.warn(
                    "The wall clock of node '{}' was set, or the machine was suspended: its leases are lost, and it does not participate until all it may have"
                            + " forgotten has expired, and the clocks of a majority are known to be within half of the clock bound"
                            + " of {}. Let NTP slew the clock instead of setting it",
                    options.nodeId(),
                    bound);
        } else {
            log.warn(
                    "Node '{}' cannot compare its wall clock with a majority's: it does not participate, and its leases are lost, until"
                            + " those are known to be within half of the clock bound of {}. See that the members reach each"
                            + " other",
                    options.nodeId(),
                    bound);
        }
    }

    /** Once in a while: each message of such a node would be one. By the monotonic clock, since the other may be what is wrong. */
    private void alarm(Effect.ClockAhead ahead) {
        if (ofAhead.isDue(clock.read().moment())) {
            log.warn(
                    "Node '{}' uses {} {} ms ahead of this node's wall clock: set both clocks right (NTP)",
                    ahead.proposer(),
                    algorithm.numbered(),
                    ahead.aheadMicros() / 1_000);
        }
    }

    /** Of those that were compared lately. */
    List<PeerClock> ofPeers() {
        Compared known = last;
        return known == null || known.at().nanosUntil(clock.read().moment()) > CURRENT_NANOS
                ? List.of()
                : known.clocks();
    }
}
