package io.paxoslease.spring.actuate;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.paxoslease.monitor.NodeObserver;
import org.jspecify.annotations.Nullable;

/**
 * An observation around each callback of the application: on grant and revocation of leadership and of shards, on the loss of a lease, and
 * around each guarded call for a shard. A candidate that works inside {@code onGranted} is observed as long as it works.
 */
final class CallbackObservations implements NodeObserver {

    private final ObservationRegistry registry;
    private final @Nullable LeaseCallbackObservationConvention custom;
    private final LeaseCallbackObservationConvention byDefault = new DefaultLeaseCallbackObservationConvention();

    CallbackObservations(ObservationRegistry registry, @Nullable LeaseCallbackObservationConvention custom) {
        this.registry = registry;
        this.custom = custom;
    }

    @Override
    public void around(Kind kind, String name, Callback callback) throws InterruptedException {
        LeaseCallbackObservationContext context = new LeaseCallbackObservationContext(kind, name);
        Observation.createNotStarted(custom, byDefault, () -> context, registry).observeChecked(callback::run);
    }
}
