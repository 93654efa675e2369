package io.paxoslease.spring.actuate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/** The endpoint over JMX: two more operations, for the members of the cell. */
@EndpointJmxExtension(endpoint = LeasesEndpoint.class)
final class LeasesEndpointJmxExtension {

    private final LeasesEndpoint endpoint;

    LeasesEndpointJmxExtension(LeasesEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @ReadOperation
    public MembersDescriptor members() {
        return endpoint.members();
    }

    @WriteOperation
    public MembersDescriptor.ChangeDescriptor changeMembers(
            String peers, @Nullable Duration maxLeaseTime, @Nullable Double clockDrift) {
        return endpoint.changeMembers(peers, maxLeaseTime, clockDrift);
    }
}
