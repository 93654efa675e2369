package io.paxoslease.spring.actuate;

import io.micrometer.observation.ObservationRegistry;
import io.paxoslease.PaxosLease;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Observes the callbacks of the application, for tracing and metrics. */
@AutoConfiguration(
        afterName = {
            "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass({ObservationRegistry.class, ObservationAutoConfiguration.class})
@ConditionalOnBean({PaxosLease.class, ObservationRegistry.class})
final class PaxosLeaseObservationAutoConfiguration {

    @Bean
    @Lazy(false) // no bean depends on it
    @ConditionalOnMissingBean
    CallbackObservations paxosLeaseCallbackObservations(
            PaxosLease node,
            ObservationRegistry registry,
            ObjectProvider<LeaseCallbackObservationConvention> convention) {
        CallbackObservations observations = new CallbackObservations(registry, convention.getIfAvailable());
        node.monitor().addObserver(observations);
        return observations;
    }
}
