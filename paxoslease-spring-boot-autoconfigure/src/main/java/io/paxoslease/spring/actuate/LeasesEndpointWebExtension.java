package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.actuate.LeasesEndpoint.GivenUpDescriptor;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Answers HTTP's 404 to who wants to give up what this node does not hold. */
@EndpointWebExtension(endpoint = LeasesEndpoint.class)
public final class LeasesEndpointWebExtension {

    private final LeasesEndpoint endpoint;

    /** @param endpoint does the work */
    public LeasesEndpointWebExtension(LeasesEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Gives up what this node holds.
     *
     * @param resource the lease's full name, for instance {@code role:leader}
     * @see LeasesEndpoint#giveUp
     */
    @DeleteOperation
    public WebEndpointResponse<GivenUpDescriptor> giveUp(
            @Selector(match = Selector.Match.ALL_REMAINING) String... resource) {
        GivenUpDescriptor done = endpoint.giveUp(resource);
        int status = done.outcome() == PaxosLease.GivenUp.NOT_HELD
                ? WebEndpointResponse.STATUS_NOT_FOUND
                : WebEndpointResponse.STATUS_OK;
        return new WebEndpointResponse<>(done, status);
    }
}
