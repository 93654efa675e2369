package io.paxoslease.spring.autoconfigure;

import io.paxoslease.spring.actuate.ActuatorHealthGroups;
import io.paxoslease.spring.leader.HealthGroups;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.context.annotation.Bean;

/** Lets roles require a group of the application's health. */
@AutoConfiguration(
        afterName = "org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration")
@ConditionalOnClass({HealthEndpoint.class, HealthEndpointGroups.class})
@ConditionalOnBean({HealthEndpoint.class, HealthEndpointGroups.class})
public final class PaxosLeaseHealthGroupsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    HealthGroups paxosLeaseHealthGroups(HealthEndpoint endpoint, HealthEndpointGroups groups) {
        return new ActuatorHealthGroups(endpoint, groups);
    }
}
