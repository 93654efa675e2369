package io.paxoslease.spring.test;

import io.paxoslease.election.LeaderElection;
import io.paxoslease.testing.InMemoryCell;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the test has granted to the application: of the leases under its control, the node can acquire only these. It renews
 * what it holds until that is released. Thread-safe.
 */
final class Grants {

    static final String ROLES = LeaderElection.DEFAULT_PREFIX;

    private final InMemoryCell cell;
    private final String nodeId;
    /** What the names of the leases begin with that the test controls. */
    private final Set<String> controlled = ConcurrentHashMap.newKeySet();

    private final Set<String> granted = ConcurrentHashMap.newKeySet();

    /** All roles are under control. */
    Grants(InMemoryCell cell, String nodeId) {
        this.cell = cell;
        this.nodeId = nodeId;
        control(ROLES);
    }

    /** Leases whose names begin with that can be acquired only if they are granted. */
    void control(String prefix) {
        controlled.add(prefix);
        apply();
    }

    void grant(Set<String> resources) {
        granted.addAll(resources);
        apply();
    }

    void refuse(Set<String> resources) {
        granted.removeAll(resources);
        apply();
    }

    void refuseAll(String prefix) {
        granted.removeIf(resource -> resource.startsWith(prefix));
        apply();
    }

    boolean isGranted(String resource) {
        return granted.contains(resource);
    }

    private void apply() {
        Set<String> prefixes = Set.copyOf(controlled);
        Set<String> open = Set.copyOf(granted);
        cell.denyAcquiring(
                nodeId,
                resource -> !open.contains(resource) && prefixes.stream().anyMatch(resource::startsWith));
    }
}
