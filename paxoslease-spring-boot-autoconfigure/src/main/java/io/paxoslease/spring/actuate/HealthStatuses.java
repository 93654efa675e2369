package io.paxoslease.spring.actuate;

import org.springframework.boot.health.contributor.Status;

/**
 * The health of a node that cannot get or keep leases at present, through no fault of its own.
 *
 * @param noQuorum while there is no majority, no clock within the bound, or no access to the store
 * @param starting the same from the start of the node until health was asked for while leases could be granted
 */
record HealthStatuses(Status noQuorum, Status starting) {

    /**
     * {@code UNKNOWN} for both: a probe of the whole application's health still succeeds, and so restarts no instance, which would
     * only be quarantined then.
     */
    static final HealthStatuses DEFAULT = new HealthStatuses(Status.UNKNOWN, Status.UNKNOWN);
}
