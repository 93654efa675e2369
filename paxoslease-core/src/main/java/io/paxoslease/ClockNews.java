package io.paxoslease;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.runtime.NodeClock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a node says of wall clocks, for people. The node's thread applies effects; any thread may ask. */
final class ClockNews {

    private static final Logger log = LoggerFactory.getLogger(PaxosLease.class);
    private static final long CURRENT_NANOS = Duration.ofSeconds(5).toNanos();

    private record Compared(List<PeerClock> clocks, Moment at) {}

    private final PaxosLeaseOptions options;
    private final NodeClock clock;
    private volatile @Nullable Compared last;

    ClockNews(PaxosLeaseOptions options, NodeClock clock) {
        this.options = options;
        this.clock = clock;
    }

    void apply(Effect effect) {
        if (effect instanceof Effect.ClocksCompared compared) {
            last = new Compared(compared.clocks(), clock.read().moment());
        } else if (effect instanceof Effect.ClockBound bound) {
            tell(bound.kept(), bound.worst());
        }
    }

    private void tell(boolean kept, @Nullable PeerClock worst) {
        FleaseOptions flease = options.flease();
        Object bound = flease == null ? "unknown" : flease.clockBound();
        if (kept) {
            log.info(
                    "The wall clock of node '{}' is within the clock bound of {} again: it takes part when all it may have"
                            + " forgotten is over",
                    options.nodeId(),
                    bound);
        } else if (worst == null) {
            log.warn(
                    "The wall clock of node '{}' was set, or could not be compared with a majority's: it takes no part, and its"
                            + " leases are lost, until the clocks of a majority are known to be within the clock bound of {}."
                            + " Let NTP slew the clock instead of setting it, and see that the members reach each other",
                    options.nodeId(),
                    bound);
        } else {
            log.warn(
                    "The wall clock of node '{}' is out of bounds: that of '{}' is ahead of it by {} ms, known to {} ms, and half"
                            + " of the clock bound of {} is allowed. It takes no part, and its leases are lost, until a majority's"
                            + " clocks are that near: set the clocks right (NTP)",
                    options.nodeId(),
                    worst.node(),
                    worst.offsetMicros() / 1_000,
                    (worst.uncertaintyMicros() + 999) / 1_000,
                    bound);
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
