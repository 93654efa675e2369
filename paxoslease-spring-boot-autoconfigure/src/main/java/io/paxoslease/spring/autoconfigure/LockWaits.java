package io.paxoslease.spring.autoconfigure;

import io.paxoslease.locks.LeaseLocks;
import org.springframework.context.SmartLifecycle;

/** Ends waits for locks and permits of other instances when the application stops, before the web server waits for its requests. */
final class LockWaits implements SmartLifecycle {

    private final LeaseLocks locks;
    private volatile boolean running;

    LockWaits(LeaseLocks locks) {
        this.locks = locks;
    }

    @Override
    public void start() {
        locks.allowWaits();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        locks.endWaits();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
