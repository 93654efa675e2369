package io.paxoslease.spring.leader;

import java.util.Set;

/** The health groups of this application. Thread-safe. */
interface HealthGroups {

    Set<String> names();

    /** Whether a probe of that group would succeed now. Takes as long as the checks of the group. */
    boolean isUp(String group);
}
