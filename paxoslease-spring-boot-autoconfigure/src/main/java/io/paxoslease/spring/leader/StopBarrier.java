package io.paxoslease.spring.leader;

import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps the beans of lower phases running until the elections have ended. The container counts the beans of a phase that have stopped. A bean of
 * a lower phase that depends on one of them stops before it, and is counted too. So one application bean that injects {@link LeaderElections}
 * would end the phase of the elections early, and the node would stop while a role still ends.
 */
final class StopBarrier implements SmartLifecycle {

    /** After all that may hold a role, and before the node: its phase is 1000, the phase of {@code VoteWait} 1001. */
    static final int PHASE_OF_NODE = Integer.MIN_VALUE + 1002;

    private final int phase;
    private final Duration atMost;
    private final BackgroundStops stops;
    private volatile boolean running;

    /** @param atMost less than the container waits for a phase */
    StopBarrier(int phase, Duration atMost, BackgroundStops stops) {
        this.phase = phase;
        this.atMost = atMost;
        this.stops = stops;
    }

    @Override
    public void start() {
        running = true;
    }

    /** On the container's thread, which does not begin the next phase before. */
    @Override
    public void stop() {
        running = false;
        stops.await(atMost);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }
}
