package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.context.reactive.ReactiveWebApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.server.WebFilter;

/** Offers {@code /actuator/leases}. */
@AutoConfiguration(
        afterName = {
            "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration"
        })
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(LeasesEndpoint.class)
@ConditionalOnBean(PaxosLease.class)
final class PaxosLeaseEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LeasesEndpoint leasesEndpoint(PaxosLease node) {
        return LeasesEndpoint.of(node);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(LeasesEndpoint.class)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    LeasesEndpointWebExtension leasesEndpointWebExtension(LeasesEndpoint endpoint, ApplicationContext context) {
        return new LeasesEndpointWebExtension(endpoint, context instanceof ReactiveWebApplicationContext);
    }

    @Bean
    @ConditionalOnBean(LeasesEndpoint.class)
    @ConditionalOnAvailableEndpoint(endpoint = LeasesEndpoint.class, exposure = EndpointExposure.WEB)
    ChangeBodyCheck leasesChangeBodyCheck() {
        return new ChangeBodyCheck();
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(LeasesEndpoint.class)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
    LeasesEndpointJmxExtension leasesEndpointJmxExtension(LeasesEndpoint endpoint) {
        return new LeasesEndpointJmxExtension(endpoint);
    }

    /** Apart, as WebFlux may be missing. A management server on a port of its own uses the filters of the application, too. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(WebFilter.class)
    @ConditionalOnAvailableEndpoint(endpoint = LeasesEndpoint.class, exposure = EndpointExposure.WEB)
    static class Reactive {

        @Bean
        @ConditionalOnBean(PathMappedEndpoints.class)
        MembersPathFilter leasesMembersPathFilter(PathMappedEndpoints endpoints) {
            return new MembersPathFilter(endpoints);
        }
    }
}
