package io.paxoslease.spring.actuate;

import io.paxoslease.HandOverException;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.MembershipChangeException;
import io.paxoslease.NodeAdmin;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.spring.actuate.LeasesEndpoint.GivenUpDescriptor;
import io.paxoslease.spring.actuate.MembersDescriptor.ChangeDescriptor;
import io.paxoslease.spring.actuate.MembersDescriptor.RefusalDescriptor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint over HTTP: a lease is named by the path, or by the parameter {@code resource}, which can carry any name.
 * A path that may have named another lease before the web framework normalised it gets 400.
 */
@EndpointWebExtension(endpoint = LeasesEndpoint.class)
@RegisterReflectionForBinding({MembersDescriptor.class, ChangeDescriptor.class, RefusalDescriptor.class})
final class LeasesEndpointWebExtension {

    private static final int ACCEPTED = 202;
    private static final int CONFLICT = 409;
    private static final int NOT_IMPLEMENTED = 501;

    private final LeasesEndpoint endpoint;
    private final boolean isReactive;

    /** @param isReactive whether there are no servlets, and {@link MembersPathFilter} has seen the path as it was sent */
    LeasesEndpointWebExtension(LeasesEndpoint endpoint, boolean isReactive) {
        this.endpoint = endpoint;
        this.isReactive = isReactive;
    }

    /** The node, its peers and some of the leases; or one lease. */
    @ReadOperation
    public WebEndpointResponse<Object> leases(
            @Nullable Integer offset, @Nullable Integer limit, @Nullable String resource) {
        return resource == null
                ? new WebEndpointResponse<>(endpoint.leases(offset, limit))
                : found(endpoint.lease(RequestedName.ofParameter(resource)));
    }

    /**
     * One lease; or the members of the cell, if the path is {@code members}. A lease of that name is named by the parameter.
     *
     * @throws InvalidEndpointRequestException if the path could mean another lease
     */
    @ReadOperation
    public WebEndpointResponse<Object> lease(@Selector(match = Selector.Match.ALL_REMAINING) String... resource) {
        if (isMembers(resource)) {
            return new WebEndpointResponse<>(endpoint.members());
        }
        return found(endpoint.lease(RequestedName.ofPath(resource)));
    }

    private static WebEndpointResponse<Object> found(@Nullable LeaseDescriptor lease) {
        return lease == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(lease);
    }

    /**
     * Gives up a lease that this node holds. One that is named {@code members} is named by the parameter: the path is that of the members.
     *
     * @throws InvalidEndpointRequestException if the path could mean another lease, or is that of the members
     */
    @DeleteOperation
    public WebEndpointResponse<Object> giveUp(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] resource, @Nullable String to) {
        return givenUp(RequestedName.ofLeasePath(resource), to);
    }

    @DeleteOperation
    public WebEndpointResponse<Object> giveUpNamed(String resource, @Nullable String to) {
        return givenUp(RequestedName.ofParameter(resource), to);
    }

    private WebEndpointResponse<Object> givenUp(String name, @Nullable String to) {
        GivenUpDescriptor done;
        try {
            done = endpoint.giveUp(new String[] {name}, to);
        } catch (IllegalArgumentException e) {
            return refusal(WebEndpointResponse.STATUS_BAD_REQUEST, e);
        } catch (HandOverException e) {
            return refusal(CONFLICT, e);
        } catch (PaxosLeaseException e) {
            return refusal(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, e);
        }
        int status = done.outcome() == NodeAdmin.GivenUp.NOT_HELD
                ? WebEndpointResponse.STATUS_NOT_FOUND
                : WebEndpointResponse.STATUS_OK;
        return new WebEndpointResponse<>(done, status);
    }

    /**
     * Changes the members of the cell while it serves, and answers once the change is stored.
     *
     * @throws InvalidEndpointRequestException if the path as sent is not that of the members, and would be after it was normalised
     * @see NodeAdmin#changeMembers
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeMembers(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] what,
            String peers,
            @Nullable Duration maxLeaseTime,
            @Nullable Double clockDrift) {
        if (!isMembers(what)) {
            return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
        }
        try {
            return new WebEndpointResponse<>(endpoint.changeMembers(peers, maxLeaseTime, clockDrift), ACCEPTED);
        } catch (InvalidEndpointRequestException | InvalidOptionException e) {
            return refusal(WebEndpointResponse.STATUS_BAD_REQUEST, e);
        } catch (MembershipChangeException e) {
            return refusal(status(e.reason()), e);
        } catch (PaxosLeaseException e) {
            return refusal(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, e);
        }
    }

    private static int status(MembershipChangeException.Reason reason) {
        return switch (reason) {
            case NO_STORE -> NOT_IMPLEMENTED;
            case NOT_A_MEMBER, UNDER_WAY, CONFLICT -> CONFLICT;
            case STORE -> WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
        };
    }

    private static WebEndpointResponse<Object> refusal(int status, RuntimeException why) {
        return new WebEndpointResponse<>(new RefusalDescriptor(String.valueOf(why.getMessage())), status);
    }

    private boolean isMembers(String... path) {
        boolean isMembers = path.length == 1 && LeasesEndpoint.MEMBERS.equals(path[0]);
        if (isMembers && !isReactive) {
            RequestedName.checkMembers();
        }
        return isMembers;
    }
}
