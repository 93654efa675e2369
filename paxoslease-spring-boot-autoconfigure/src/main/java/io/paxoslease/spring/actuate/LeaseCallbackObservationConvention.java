package io.paxoslease.spring.actuate;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names the observations of callbacks and their keys. A bean of this type replaces {@link DefaultLeaseCallbackObservationConvention}. */
public interface LeaseCallbackObservationConvention extends ObservationConvention<LeaseCallbackObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof LeaseCallbackObservationContext;
    }
}
