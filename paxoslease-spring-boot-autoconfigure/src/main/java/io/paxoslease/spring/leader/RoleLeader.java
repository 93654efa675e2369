package io.paxoslease.spring.leader;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The node that leads a role, as far as this node knows.
 *
 * @param role the role
 * @param nodeId the node
 * @param isLocal whether it is this node; then it is certain, otherwise a hint, which may be out of date
 * @param baseUrl where that node serves HTTP, without a slash at the end; null if it is not configured
 */
public record RoleLeader(
        String role,
        String nodeId,
        boolean isLocal,
        @Nullable URI baseUrl) {}
