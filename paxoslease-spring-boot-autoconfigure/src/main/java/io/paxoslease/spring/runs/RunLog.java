package io.paxoslease.spring.runs;

import io.paxoslease.PaxosLease;
import java.time.InstantSource;

/**
 * Remembers for each scheduled method which slot was begun and finished last. A bean of this type takes the place of the cell's
 * memory: {@link io.paxoslease.spring.fencing.JdbcRuns}, or one of the application's own. Implementations are thread-safe; every
 * method may block, for a bounded time, and throws when the log cannot be read or written.
 */
public interface RunLog {

    /**
     * The log in the memory of the cell's members, which a stop of a majority of them empties. Any member or client of the cell may say that a slot
     * is finished; one that is more than an hour ahead of this instance's clock is not believed.
     *
     * @param node asks the members
     */
    static RunLog inMemoryOf(PaxosLease node) {
        return new CellRuns(node, InstantSource.system());
    }

    /**
     * Whether a new leader has to make up for the slot. False if that slot or a later one is finished, and also if no slot of
     * this method was recorded before: then this one is recorded as finished, because nothing tells that it was missed.
     *
     * @param run the latest slot that is due, and the new leader's token
     */
    boolean isMissed(ScheduledRun run);

    /**
     * Records that the run begins.
     *
     * @return false if the run must not be made: its slot or a later one is finished, or begun under the same token
     * @throws io.paxoslease.spring.fencing.StaleTokenException if a later leader has begun a run, where the log can know
     */
    boolean begin(ScheduledRun run);

    /**
     * Records that the run is finished. May be called more than once for one run.
     *
     * @throws io.paxoslease.spring.fencing.StaleTokenException if a later leader has begun a run, where the log can know
     * @throws IllegalStateException if this run was not begun, or a later one was, where the log can know
     */
    void finish(ScheduledRun run);
}
