package io.paxoslease.node;

import io.paxoslease.protocol.Reading;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches whether the two clocks of a process tell the same story (section 5, Holder): on Linux the monotonic clock
 * stands still while the system is suspended or its hypervisor pauses it, and the wall clock shows it afterwards. The
 * node's thread beats regularly; every check compares with the last beat. Thread-safe.
 */
public final class ClockGuard {

    private static final Logger log = LoggerFactory.getLogger(ClockGuard.class);

    /** How often the node's thread beats, in nanoseconds. */
    static final long BEAT_NANOS = 100_000_000;

    private static final long TOLERANCE_NANOS = 200_000_000;
    private static final long FORGOTTEN_NANOS = 1_000_000_000;

    private final double drift;
    private final long overdueNanos;
    private volatile Reading lastBeat;
    private volatile boolean mayBeSnapshot;
    private final Supplier<@Nullable String> machineBoot;
    /** Null: the machine does not say, or nothing that lasts. */
    private @Nullable String lastBoot;

    enum Verdict {
        AGREE,
        /** They disagree: a clock was set, or the process was suspended for a moment. */
        DISAGREE,
        /** The wall clock is ahead by so much that the process may have been restored from a snapshot. */
        MAY_HAVE_FORGOTTEN
    }

    /**
     * @param drift rho, the bound on the rate error of any clock
     * @param overdueNanos after how long without a beat nothing is trusted
     * @param machineBoot which boot of the machine this process runs on; null where that is not known
     */
    public ClockGuard(double drift, long overdueNanos, Reading now, Supplier<@Nullable String> machineBoot) {
        this.drift = drift;
        this.overdueNanos = overdueNanos;
        this.lastBeat = now;
        this.machineBoot = machineBoot;
        String boot = machineBoot.get();
        this.lastBoot =
                boot != null && boot.equals(machineBoot.get()) ? boot : null; // a sandbox may draw one each time
    }

    /** Says what the clocks say. Called on the node's thread. */
    void report(Verdict verdict) {
        boolean forgotten = verdict == Verdict.MAY_HAVE_FORGOTTEN;
        mayBeSnapshot |= forgotten;
        log.warn(
                "The clocks of this process disagree: it was suspended, or a clock was set. {}",
                forgotten
                        ? "It may have been restored from a snapshot: leases are lost, and it starts again."
                        : "Leases may count as not held until they are confirmed or granted again.");
    }

    /** Whether the clocks have said that the process may have been restored from a snapshot. */
    boolean mayBeSnapshot() {
        return mayBeSnapshot;
    }

    /**
     * Whether this process runs on another boot of a machine than at the last call: it was restored from an image of a process, which takes its
     * clocks along, so that they may well agree. Called on the node's thread.
     */
    boolean hasMoved() {
        String boot = lastBoot == null ? null : machineBoot.get();
        boolean moved = boot != null && !boot.equals(lastBoot);
        if (moved) {
            lastBoot = boot;
            log.warn("This process runs on another boot of the machine than before: it was restored from an image.");
        }
        return moved;
    }

    /** From now on, compare with this reading. Called on the node's thread. */
    void beat(Reading now) {
        lastBeat = now;
    }

    /** What both clocks say since the last beat. */
    Verdict judge(Reading now) {
        Reading beat = lastBeat;
        long elapsed = beat.moment().nanosUntil(now.moment());
        long ahead = (now.wallMicros() - beat.wallMicros()) * 1_000 - elapsed;
        long tolerance = toleranceNanos(elapsed);
        if (ahead > FORGOTTEN_NANOS + tolerance) {
            return Verdict.MAY_HAVE_FORGOTTEN;
        }
        return Math.abs(ahead) > tolerance ? Verdict.DISAGREE : Verdict.AGREE;
    }

    /** Whether a lease may be relied on at this reading: the clocks agree, and the node's thread is alive. */
    public boolean trusts(Reading now) {
        return trusts(now.moment().nanos(), now.wallMicros());
    }

    /** The same in numbers, for those who ask often. */
    public boolean trusts(long nanos, long wallMicros) {
        Reading beat = lastBeat;
        long elapsed = nanos - beat.moment().nanos();
        long wallElapsed = (wallMicros - beat.wallMicros()) * 1_000;
        return elapsed <= overdueNanos
                && wallElapsed <= overdueNanos
                && Math.abs(wallElapsed - elapsed) <= toleranceNanos(elapsed);
    }

    /** How far apart the clocks may be after that time. */
    private long toleranceNanos(long elapsed) {
        return TOLERANCE_NANOS + (long) (2 * drift * Math.max(0, elapsed));
    }
}
