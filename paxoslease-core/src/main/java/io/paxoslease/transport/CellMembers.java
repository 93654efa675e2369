package io.paxoslease.transport;

import io.paxoslease.protocol.NodeId;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * Who the members of a cell are, as one of them says.
 *
 * @param teller how that member introduces itself: with the configuration that every member runs
 * @param addresses every member's address, unresolved, as it is configured at the one that tells
 */
public record CellMembers(Hello teller, Map<NodeId, InetSocketAddress> addresses) {}
