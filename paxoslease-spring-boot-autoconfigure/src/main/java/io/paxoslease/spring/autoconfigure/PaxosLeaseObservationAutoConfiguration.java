package io.paxoslease.spring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.actuate.CallbackObservations;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Observes the callbacks of the application, for tracing and metrics. */
@AutoConfiguration(
        after = PaxosLeaseAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass({ObservationRegistry.class, ObservationAutoConfiguration.class})
@ConditionalOnBean({PaxosLease.class, ObservationRegistry.class})
public final class PaxosLeaseObservationAutoConfiguration {

    @Bean
    @Lazy(false) // no bean depends on it
    @ConditionalOnMissingBean
    CallbackObservations paxosLeaseCallbackObservations(PaxosLease node, ObservationRegistry registry) {
        CallbackObservations observations = new CallbackObservations(registry);
        node.addObserver(observations);
        return observations;
    }
}
