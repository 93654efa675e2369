package io.paxoslease.spring.actuate;

import java.util.List;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.util.StringUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * For Spring WebFlux, where an endpoint does not see the path as it was sent: a path that is that of the members only after it was decoded, or
 * without its parameters or empty segments, gets 400.
 */
final class MembersPathFilter implements WebFilter {

    private static final EndpointId LEASES = EndpointId.of("leases");

    private final PathMappedEndpoints endpoints;

    MembersPathFilter(PathMappedEndpoints endpoints) {
        this.endpoints = endpoints;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        RequestPath path = exchange.getRequest().getPath();
        if (!isOfMembers(path) || RequestedName.isOfMembers(path.value())) {
            return chain.filter(exchange);
        }
        exchange.getResponse().setStatusCode(HttpStatus.BAD_REQUEST);
        return exchange.getResponse().setComplete();
    }

    /** As Spring takes it for the endpoint's, and Spring Boot takes it apart. */
    private boolean isOfMembers(RequestPath path) {
        String matched = path.pathWithinApplication().elements().stream()
                .map(element ->
                        element instanceof PathContainer.PathSegment segment ? segment.valueToMatch() : element.value())
                .collect(Collectors.joining());
        return segments(matched).equals(segments(endpoints.getPath(LEASES) + "/" + LeasesEndpoint.MEMBERS));
    }

    private static List<String> segments(String path) {
        return List.of(StringUtils.tokenizeToStringArray(path, "/", false, true));
    }
}
