package io.paxoslease.transport;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What members tell each other and their clients of a change of the members (section 9): the generation that it leads to, and where its
 * members are.
 *
 * @param generation that follows another
 * @param addresses of everyone who votes before or after the change, unresolved
 */
public record ComingMembers(Generation generation, Map<NodeId, InetSocketAddress> addresses) {

    /** @throws IllegalArgumentException when one of them has no address */
    public ComingMembers {
        Map<NodeId, InetSocketAddress> all = new LinkedHashMap<>();
        for (NodeId id : generation.everyone()) {
            InetSocketAddress address = addresses.get(id);
            if (address == null) {
                throw new IllegalArgumentException(
                        "No address of %s, which generation %d names".formatted(id, generation.number()));
            }
            all.put(id, address);
        }
        addresses = Collections.unmodifiableMap(all);
    }
}
