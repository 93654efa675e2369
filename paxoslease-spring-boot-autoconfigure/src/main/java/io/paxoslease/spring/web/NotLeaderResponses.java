package io.paxoslease.spring.web;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.leader.LeaderLocator;
import io.paxoslease.spring.leader.RoleLeader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

/**
 * The answer to a request that only the leader of a role can serve: 503 with {@code Retry-After} and, if it is known, the leader; or a
 * redirect to the leader. Thread-safe.
 */
final class NotLeaderResponses {

    /** The header with the node id of the leader. */
    public static final String LEADER_HEADER = "PaxosLease-Leader";

    private static final long KNOWN_LEADER_SECONDS = 1;

    private final LeaderLocator leaders;
    private final boolean redirect;
    private final Duration election;

    /**
     * @param redirect whether to redirect (307) to the leader if its base URL is known, and the refused call had not begun
     * @param election how long it takes until there is a leader again, for {@code Retry-After} if none is known
     */
    NotLeaderResponses(LeaderLocator leaders, boolean redirect, Duration election) {
        this.leaders = leaders;
        this.redirect = redirect;
        this.election = election;
    }

    /**
     * The answer; waits for the node's thread.
     *
     * @param path the path of the request as it came, encoded, and with its context path
     * @param query the query as it came; null if there is none
     */
    ResponseEntity<ProblemDetail> answer(NotLeaderException refused, String path, @Nullable String query) {
        RoleLeader leader = leaderOf(refused.role());
        URI url = leader == null ? null : leader.baseUrl();
        if (redirect
                && !refused.hasBegun()
                && leader != null
                && url != null
                && !leader.isLocal()
                && path.startsWith("/")) { // anything else would continue the name of the host
            String target = url + path + (query == null ? "" : "?" + query);
            return ResponseEntity.status(HttpStatus.TEMPORARY_REDIRECT)
                    .header(HttpHeaders.LOCATION, target)
                    .build();
        }
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "This instance does not lead '%s'.".formatted(refused.role()));
        problem.setProperty("role", refused.role());
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.RETRY_AFTER, String.valueOf(leader == null ? seconds(election) : KNOWN_LEADER_SECONDS));
        if (leader != null) {
            problem.setProperty("leader", leader.nodeId());
            if (url != null) {
                problem.setProperty("leaderUrl", url);
            }
            if (StandardCharsets.US_ASCII.newEncoder().canEncode(leader.nodeId())) { // a header holds nothing else
                headers.set(LEADER_HEADER, leader.nodeId());
            }
        }
        return new ResponseEntity<>(problem, headers, HttpStatus.SERVICE_UNAVAILABLE);
    }

    /** The application may have elections of its own, whose roles no bean or property names. */
    private @Nullable RoleLeader leaderOf(String role) {
        try {
            return leaders.find(role).orElse(null);
        } catch (IllegalArgumentException notNamed) {
            return null;
        }
    }

    private static long seconds(Duration time) {
        return Math.max(KNOWN_LEADER_SECONDS, time.plusMillis(999).toSeconds());
    }
}
