package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.actuate.LeasesEndpoint;
import io.paxoslease.spring.actuate.LeasesEndpointJmxExtension;
import io.paxoslease.spring.actuate.LeasesEndpointWebExtension;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Offers {@code /actuator/leases}. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(LeasesEndpoint.class)
@ConditionalOnBean(PaxosLease.class)
public final class PaxosLeaseEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LeasesEndpoint leasesEndpoint(PaxosLease node) {
        return new LeasesEndpoint(node);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(LeasesEndpoint.class)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    LeasesEndpointWebExtension leasesEndpointWebExtension(LeasesEndpoint endpoint) {
        return new LeasesEndpointWebExtension(endpoint);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(LeasesEndpoint.class)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
    LeasesEndpointJmxExtension leasesEndpointJmxExtension(LeasesEndpoint endpoint) {
        return new LeasesEndpointJmxExtension(endpoint);
    }
}
