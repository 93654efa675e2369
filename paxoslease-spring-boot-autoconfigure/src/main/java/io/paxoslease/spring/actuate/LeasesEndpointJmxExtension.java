package io.paxoslease.spring.actuate;

import io.paxoslease.MembershipChange;
import io.paxoslease.NodeAdmin;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/** The endpoint over JMX: two more operations, for the members of the cell. */
@EndpointJmxExtension(endpoint = LeasesEndpoint.class)
final class LeasesEndpointJmxExtension {

    private final LeasesEndpoint endpoint;

    /** @param endpoint the endpoint behind this extension */
    LeasesEndpointJmxExtension(LeasesEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Who the members are, how far a change of them is, and what the store of the members says.
     *
     * @see LeasesEndpoint#members
     */
    @ReadOperation
    public MembersDescriptor members() {
        return endpoint.members();
    }

    /**
     * Changes the members of the cell while it serves, and answers once the change is stored.
     *
     * @param peers all members after the change: {@code a=host:port,b=host:port}
     * @param maxLeaseTime the longest lease after the change; null: as it is
     * @param clockDrift the bound on the rate error of clocks after the change; null: as it is
     * @see NodeAdmin#changeMembers
     */
    @WriteOperation
    public MembersDescriptor.ChangeDescriptor changeMembers(
            String peers, @Nullable Duration maxLeaseTime, @Nullable Double clockDrift) {
        return endpoint.changeMembers(MembershipChange.builder(MemberRequest.members(peers))
                .maxLeaseTime(maxLeaseTime)
                .clockDrift(clockDrift)
                .build());
    }
}
