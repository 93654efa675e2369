package io.paxoslease.spring.leader;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/** The instants at which a cron expression is due. */
record CronSlots(CronExpression expression, ZoneId zone) {

    /** Expressions have no years: those that are ever due are so within the eight years around a year that is no leap year. */
    private static final List<Duration> LOOK_BACK = List.of(
            Duration.ofMinutes(1),
            Duration.ofHours(1),
            Duration.ofDays(1),
            Duration.ofDays(32),
            Duration.ofDays(366),
            Duration.ofDays(8 * 366 + 1));

    /** A trigger that fires this much early, as timers and wall clocks differ a little, has fired for the next slot. */
    static final Duration EARLY = Duration.ofSeconds(1);

    private static final int EARLY_PART = 10;

    /** The latest slot that is due at that instant; empty if there was none in eight years. */
    Optional<Instant> latest(Instant now) {
        for (Duration back : LOOK_BACK) {
            Instant slot = next(now.minus(back).minusNanos(1));
            if (slot != null && !slot.isAfter(now)) {
                return Optional.of(latest(slot, now));
            }
        }
        return Optional.empty();
    }

    /**
     * The slot for which a trigger has fired at that instant: the latest one, or the next one, if that is no more than a second
     * and a tenth of the time between the two away.
     */
    Optional<Instant> firedAt(Instant now) {
        Optional<Instant> latest = latest(now);
        Instant next = next(now);
        if (next == null) {
            return latest;
        }
        Duration between = latest.map(slot -> Duration.between(slot, next)).orElse(EARLY.multipliedBy(EARLY_PART));
        Duration part = between.dividedBy(EARLY_PART);
        Duration early = part.compareTo(EARLY) < 0 ? part : EARLY;
        return next.isAfter(now.plus(early)) ? latest : Optional.of(next);
    }

    /** Halves the time in which a later slot can be, as there may be many. */
    private Instant latest(Instant slot, Instant now) {
        Instant found = slot;
        Instant end = now; // no slot between it and now
        for (Instant next = next(found); next != null && !next.isAfter(end); next = next(found)) {
            Instant middle = found.plus(Duration.between(found, end).dividedBy(2));
            Instant later = next(middle);
            if (later == null || later.isAfter(end)) {
                end = middle;
            } else {
                found = later;
            }
        }
        return found;
    }

    /** The first slot after that instant; null if there is none. */
    @Nullable
    Instant next(Instant after) {
        Instant next = from(after);
        // Where clocks are set back by half an hour, the expression may answer with the instant itself.
        Instant later = next == null || next.isAfter(after) ? next : from(after.plus(Duration.ofHours(1)));
        return later == null || later.isAfter(after) ? later : null;
    }

    private @Nullable Instant from(Instant after) {
        ZonedDateTime next = expression.next(after.atZone(zone));
        return next == null ? null : next.toInstant();
    }
}
