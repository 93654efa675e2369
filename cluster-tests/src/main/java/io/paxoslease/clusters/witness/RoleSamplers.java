package io.paxoslease.clusters.witness;

import java.util.List;
import org.springframework.context.SmartLifecycle;

/** Those of several roles, started and stopped together. */
final class RoleSamplers implements SmartLifecycle {

    private final List<LeaderSampler> samplers;
    private volatile boolean running;

    RoleSamplers(List<LeaderSampler> samplers) {
        this.samplers = samplers;
    }

    @Override
    public void start() {
        samplers.forEach(LeaderSampler::start);
        running = true;
    }

    @Override
    public void stop() {
        samplers.forEach(LeaderSampler::stop);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** As that of each of them. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
