package io.paxoslease.spring.actuate;

import io.micrometer.observation.Observation;
import io.paxoslease.monitor.NodeObserver;

/** What is observed: one callback of the application, on grant or revocation of leadership or of a shard, or on the loss of a lease. */
public final class LeaseCallbackObservationContext extends Observation.Context {

    private final NodeObserver.Kind kind;
    private final String subject;

    LeaseCallbackObservationContext(NodeObserver.Kind kind, String subject) {
        this.kind = kind;
        this.subject = subject;
    }

    /** Why the application is called. */
    public NodeObserver.Kind kind() {
        return kind;
    }

    /** The name of the role; of a lost lease, its resource; of a shard, {@code <group>/<index>}. */
    public String subject() {
        return subject;
    }
}
