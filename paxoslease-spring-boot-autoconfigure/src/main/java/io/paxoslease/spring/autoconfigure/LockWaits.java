package io.paxoslease.spring.autoconfigure;

import io.paxoslease.locks.LeaseLocks;
import org.springframework.context.SmartLifecycle;

/**
 * Ends waits for locks and permits of other instances when the application stops, before the web server waits for its requests, and allows
 * them again before any other bean starts.
 */
final class LockWaits implements SmartLifecycle {

    private final int phase;
    private final Runnable onStart;
    private final Runnable onStop;
    private volatile boolean running;

    private LockWaits(int phase, Runnable onStart, Runnable onStop) {
        this.phase = phase;
        this.onStart = onStart;
        this.onStop = onStop;
    }

    static LockWaits start(LeaseLocks locks) {
        return new LockWaits(PaxosLeaseLifecycle.PHASE, locks::allowWaits, () -> {});
    }

    static LockWaits end(LeaseLocks locks) {
        return new LockWaits(Integer.MAX_VALUE, () -> {}, locks::endWaits);
    }

    @Override
    public void start() {
        onStart.run();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        onStop.run();
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
