package io.paxoslease.spring.runs;

import io.paxoslease.protocol.Printable;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One run of a scheduled method: for one slot, which is an instant at which its cron expression is due, by one leader.
 *
 * @param cell the name of the cell
 * @param role the role whose leader makes the run
 * @param task the class and the method, as {@code Reports.nightly()}
 * @param slot the instant for which the run is made, in whole seconds; the run itself may be made later
 * @param token the leader's fencing token, which is positive
 */
public record ScheduledRun(String cell, String role, String task, Instant slot, long token) {

    private static final ThreadLocal<@Nullable ScheduledRun> current = new ThreadLocal<>();

    /** The run that the current thread makes; empty outside of a recorded run. */
    public static Optional<ScheduledRun> current() {
        return Optional.ofNullable(current.get());
    }

    /**
     * Makes this the current thread's run until the result is closed, on the same thread. For the code that calls scheduled
     * methods, and for tests of them.
     */
    public Scope makeCurrent() {
        ScheduledRun outer = current.get();
        current.set(this);
        return () -> {
            if (outer == null) {
                current.remove();
            } else {
                current.set(outer);
            }
        };
    }

    /** While it is open a run is the current one. */
    @FunctionalInterface
    public interface Scope extends AutoCloseable {

        @Override
        void close();
    }

    @Override
    public String toString() {
        return "%s for %s, by the leader of '%s' with fencing token %d"
                .formatted(Printable.name(task), slot, Printable.name(role), token);
    }
}
