package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Watches the health groups that roles require, between a start and a stop. Thread-safe. */
final class HealthWatches {

    private final HealthChecks checks;
    private final Duration stopTimeout;
    private final List<HealthWatch> running = new ArrayList<>();

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
        for (HealthWatch watch : watches) {
            running.add(watch);
            watch.start();
        }
    }

    synchronized void stop() {
        running.forEach(HealthWatch::stop);
        running.clear();
    }
}
