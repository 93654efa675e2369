package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Watches the health groups that roles require, between a start and a stop. Thread-safe. */
final class HealthWatches {

    private final ObjectProvider<HealthGroups> groups;
    private final Duration stopTimeout;
    private final List<HealthWatch> running = new ArrayList<>();

    HealthWatches(ObjectProvider<HealthGroups> groups, Duration stopTimeout) {
        this.groups = groups;
        this.stopTimeout = stopTimeout;
    }

    /**
     * Holds the roles back until their groups are up; does nothing when started.
     *
     * @throws InvalidConfigurationPropertyValueException if a role requires a group that does not exist; then nothing is watched
     */
    synchronized void start(Collection<LeaderRole> roles) {
        List<HealthWatch> watches = new ArrayList<>();
        for (LeaderRole role : roles) {
            String group = role.settings().healthGroup();
            if (group != null && role.isEligible() && running.isEmpty()) {
                Duration timeout = role.settings().healthTimeout();
                BooleanSupplier check = HealthGroups.check(
                        groups, ElectionSettings.property(role.name()) + ".requires-health-group", group);
                watches.add(new HealthWatch(role, group, timeout, check, stopTimeout, System::nanoTime));
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
