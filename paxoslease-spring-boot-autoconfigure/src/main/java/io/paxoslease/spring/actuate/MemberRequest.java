package io.paxoslease.spring.actuate;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.MembershipChange;
import io.paxoslease.MembershipChangeException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.actuate.MembersDescriptor.RefusalDescriptor;
import io.paxoslease.spring.membership.MemberText;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** A change of the members, as it is asked for over HTTP, and the status and the words of the answer. */
final class MemberRequest {

    private static final int ACCEPTED = 202;
    private static final int CONFLICT = 409;
    private static final int NOT_IMPLEMENTED = 501;

    private MemberRequest() {}

    /**
     * The members that a text lists: {@code a=host:port,b=host:port}. Endpoints take no nested values.
     *
     * @throws InvalidEndpointRequestException if it is no such list
     */
    static Map<String, String> members(String text) {
        try {
            return MemberText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(Printable.text(e.getMessage()), "Invalid peers", e);
        }
    }

    static WebEndpointResponse<Object> answer(
            LeasesEndpoint endpoint, String peers, @Nullable Duration maxLeaseTime, @Nullable Double clockDrift) {
        try {
            return new WebEndpointResponse<>(
                    endpoint.changeMembers(MembershipChange.builder(members(peers))
                            .maxLeaseTime(maxLeaseTime)
                            .clockDrift(clockDrift)
                            .build()),
                    ACCEPTED);
        } catch (InvalidEndpointRequestException | InvalidOptionException e) {
            return refusal(WebEndpointResponse.STATUS_BAD_REQUEST, e.getMessage());
        } catch (MembershipChangeException e) {
            return refusal(status(e.reason()), e.getMessage());
        } catch (PaxosLeaseException e) {
            return refusal(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, e.getMessage());
        }
    }

    private static int status(MembershipChangeException.Reason reason) {
        return switch (reason) {
            case NO_STORE -> NOT_IMPLEMENTED;
            case NOT_A_MEMBER, UNDER_WAY, CONFLICT -> CONFLICT;
            case STORE -> WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
        };
    }

    private static WebEndpointResponse<Object> refusal(int status, @Nullable String why) {
        return new WebEndpointResponse<>(new RefusalDescriptor(String.valueOf(why)), status);
    }
}
