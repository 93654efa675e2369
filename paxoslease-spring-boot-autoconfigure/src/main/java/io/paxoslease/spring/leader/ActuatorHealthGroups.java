package io.paxoslease.spring.leader;

import java.util.Set;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;

/** The groups of Spring Boot's health endpoint. A group is up if its path answers with a status below 400. */
final class ActuatorHealthGroups implements HealthGroups {

    private static final int LOWEST_ERROR = 400;

    private final HealthEndpoint endpoint;
    private final HealthEndpointGroups groups;

    ActuatorHealthGroups(HealthEndpoint endpoint, HealthEndpointGroups groups) {
        this.endpoint = endpoint;
        this.groups = groups;
    }

    @Override
    public Set<String> names() {
        return groups.getNames();
    }

    @Override
    public boolean isUp(String group) {
        HealthEndpointGroup known = groups.get(group);
        HealthDescriptor health = endpoint.healthForPath(group);
        return known != null
                && health != null
                && known.getHttpCodeStatusMapper().getStatusCode(health.getStatus()) < LOWEST_ERROR;
    }
}
