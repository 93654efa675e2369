package io.paxoslease.simulation;

import io.paxoslease.node.NodeClock;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;

/**
 * The two clocks of one machine. The monotonic one starts anywhere, runs at any rate within the bound, and stands still
 * in a system suspend; the wall clock runs at the rate of real time or nearly, and is set at will.
 */
final class SimulatedClock implements NodeClock {

    private static final long MILLION = 1_000_000;
    private static final long EPOCH_MICROS = 1_800_000_000_000_000L;

    private final Agenda agenda;
    private final boolean coarseWall;
    private final Scenario.Sway sway;
    private long anchorReal;
    private long anchorLocal;
    private long rateMillionths;
    private long wallOffsetMicros;
    private boolean frozen;
    private boolean disturbed;
    private long asked = -1;
    private Runnable afterReading = () -> {};

    SimulatedClock(Agenda agenda, Scenario.Machine machine, boolean coarseWall) {
        this.agenda = agenda;
        this.anchorLocal = machine.origin();
        this.rateMillionths = machine.rateMillionths();
        this.wallOffsetMicros = machine.wallOffsetMicros();
        this.sway = machine.sway();
        this.coarseWall = coarseWall;
    }

    /** Runs after each single reading, when time may pass before the reading is used. */
    void afterEachReading(Runnable action) {
        afterReading = action;
    }

    @Override
    public Reading read() {
        if (asked >= 0) {
            return readingAt(asked);
        }
        Reading reading = readingAt(agenda.now());
        afterReading.run();
        return reading;
    }

    /** Whoever reads a pair compares the clocks; from then on, the clocks have been compared since the last disturbance. */
    @Override
    public Reading readPair() {
        disturbed = false;
        return readingAt(agenda.now());
    }

    private Reading readingAt(long real) {
        long wall = wallMicros(real);
        return new Reading(new Moment(localAt(real)), coarseWall ? wall - Math.floorMod(wall, 1_000L) : wall);
    }

    /** What the wall clock shows at that real time, before it is rounded, if nobody sets it. */
    long wallMicros(long real) {
        return EPOCH_MICROS + real / 1_000 + wallOffsetMicros + sway.atMicros(real);
    }

    /** How far the wall clock is off by having been set or wrong from the start. */
    long wallOffsetMicros() {
        return wallOffsetMicros;
    }

    /** What both clocks show now; nobody's time passes. */
    Reading readingNow() {
        return readingAt(agenda.now());
    }

    /** From now on every reading shows what the clocks would show then, if nobody touched them; a negative time ends that. */
    void pretend(long real) {
        asked = real;
    }

    long local() {
        return localAt(agenda.now());
    }

    Moment moment() {
        return new Moment(local());
    }

    private long localAt(long real) {
        return frozen ? anchorLocal : anchorLocal + (real - anchorReal) * rateMillionths / MILLION;
    }

    /** The first real instant at which the monotonic clock shows that or more, at its present rate. */
    long realOf(long local) {
        long rest = local - anchorLocal;
        long from = frozen ? agenda.now() : anchorReal;
        return from - Math.floorDiv(-rest * MILLION, rateMillionths);
    }

    boolean isFrozen() {
        return frozen;
    }

    /** Whether a clock was set, or stood still, since both were last compared. */
    boolean isDisturbed() {
        return disturbed;
    }

    void setRate(long millionths) {
        anchor();
        rateMillionths = millionths;
    }

    void stepWall(long micros) {
        wallOffsetMicros += micros;
        disturbed = true;
    }

    void freeze() {
        anchor();
        frozen = true;
    }

    void thaw() {
        if (frozen) {
            anchorReal = agenda.now();
            frozen = false;
            disturbed = true;
        }
    }

    /** Another boot of the machine: its monotonic clock starts elsewhere. */
    void reboot(long origin) {
        anchorReal = agenda.now();
        anchorLocal = origin;
    }

    private void anchor() {
        if (!frozen) {
            anchorLocal = local();
            anchorReal = agenda.now();
        }
    }
}
