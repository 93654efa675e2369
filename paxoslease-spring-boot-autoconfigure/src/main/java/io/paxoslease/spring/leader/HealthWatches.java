package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;

/** Watches the health groups that roles require, between a start and a stop. Thread-safe. */
final class HealthWatches {

    private final HealthChecks checks;
    private final Duration stopTimeout;
    private final Map<HealthWatch, ExecutorService> running = new HashMap<>();

    HealthWatches(HealthChecks checks, Duration stopTimeout) {
        this.checks = checks;
        this.stopTimeout = stopTimeout;
    }

    /**
     * Holds the roles back until their groups are up; does nothing when started.
     *
     * @throws RuntimeException if a role requires a group that does not exist; then nothing is watched
     */
    synchronized void start(Collection<LeaderRole> roles) {
        List<HealthWatch> watches = new ArrayList<>();
        for (LeaderRole role : roles) {
            RequiredHealth required = role.requiredHealth();
            if (required != null && role.isEligible() && running.isEmpty()) {
                watches.add(new HealthWatch(
                        role, required, checks.find(role.name(), required.group()), stopTimeout, System::nanoTime));
            }
        }
        watches.forEach(watch -> running.put(watch, watch.start()));
    }

    synchronized void stop() {
        running.values().forEach(ExecutorService::shutdownNow);
        running.keySet().forEach(HealthWatch::stop);
        running.clear();
    }
}
