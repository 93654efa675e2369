package io.paxoslease.spring.leader;

import java.util.function.BooleanSupplier;

/** Finds the health groups that roles require. */
@FunctionalInterface
public interface HealthChecks {

    /**
     * The check of that group: whether it is up now. A call takes as long as the checks of the group.
     *
     * @throws RuntimeException if there is no such group; the message says what to configure
     */
    BooleanSupplier find(String role, String group);
}
