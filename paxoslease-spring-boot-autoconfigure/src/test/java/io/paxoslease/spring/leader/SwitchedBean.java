package io.paxoslease.spring.leader;

import org.springframework.context.Lifecycle;

/** A bean that runs between its start and its stop, and does nothing else. */
public class SwitchedBean implements Lifecycle {

    private volatile boolean running;

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
