package io.paxoslease.clusters;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Something that happens to one instance, and ends. */
record Fault(Kind kind, Member victim, int millis, int clockMillis) {

    /** What it is. */
    enum Kind {
        /** Killed, and started again when it is over. */
        KILL,
        /** Paused until it is over. */
        PAUSE,
        /** Its cable is pulled until it is over. */
        CUT,
        /** Its links are slow and lose packets until it is over. */
        SLOW,
        /** Its wall clock is wrong until it is over. */
        CLOCK
    }

    static final List<Kind> KINDS = List.of(Kind.values());

    private static final int LONGEST_MILLIS = 4_000;
    /**
     * Less than what keeps tokens in order: the bound of counters that are ahead, a quarter of 2.44 s, and this together are less than
     * the quarantine, 2.44 s.
     */
    private static final int CLOCK_MILLIS = 800;

    private static final int DELAY_MILLIS = 50;
    private static final int LOSS_PERCENT = 10;

    static Fault draw(SplittableRandom random, Kind kind, Member victim) {
        int millis = random.nextInt(LONGEST_MILLIS);
        int clock = random.nextInt(-CLOCK_MILLIS, CLOCK_MILLIS);
        return new Fault(kind, victim, millis, clock);
    }

    void begin() {
        switch (kind) {
            case KILL -> victim.kill();
            case PAUSE -> victim.pause();
            case CUT -> victim.disconnect();
            case SLOW -> victim.faults().degrade(DELAY_MILLIS, LOSS_PERCENT);
            case CLOCK -> victim.setClockAhead(Duration.ofMillis(clockMillis));
        }
    }

    void end() {
        switch (kind) {
            case KILL -> victim.restart();
            case PAUSE -> victim.unpause();
            case CUT -> victim.reconnect();
            case SLOW -> victim.faults().mendLinks();
            case CLOCK -> victim.setClockAhead(Duration.ZERO);
        }
    }

    /** From its beginning to its end, and until the instance serves. */
    void happen() {
        begin();
        long over = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        Wait.until(this + " is over", () -> System.nanoTime() - over >= 0);
        end();
        BusyCell.awaitServing(victim);
    }

    /** One that makes no other instance wait for this one: for the time of a restart of another one. */
    static @Nullable Kind brief(SplittableRandom random) {
        Kind kind = KINDS.get(random.nextInt(KINDS.size()));
        return kind == Kind.KILL ? null : kind;
    }

    @Override
    public String toString() {
        String how = kind == Kind.CLOCK ? " by %d ms".formatted(clockMillis) : "";
        return "%s of %s for %d ms%s".formatted(kind.toString().toLowerCase(Locale.ROOT), victim, millis, how);
    }
}
