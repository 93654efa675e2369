package io.paxoslease.transport.netty;

import io.paxoslease.protocol.NodeId;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the members are. What is configured here stands. Of those that a change brings, members tell the addresses, and one of them may have a
 * wrong one: each is tried. On the event loop.
 */
final class MemberAddresses {

    /** Of one member; beyond so many, the oldest is forgotten, unless the member was reached there. */
    private static final int MOST_TOLD = 8;

    private final Map<NodeId, InetSocketAddress> best;
    /** Of those that are not configured: none is empty. */
    private final Map<NodeId, List<InetSocketAddress>> told = new HashMap<>();
    /** They are members no more; who asks for the list before is still told where they were. */
    private final Set<NodeId> left = new HashSet<>();

    MemberAddresses(Map<NodeId, InetSocketAddress> configured) {
        this.best = new LinkedHashMap<>(configured);
    }

    /** One of each that is a member or was, where it was reached if it was; a view. */
    Map<NodeId, InetSocketAddress> all() {
        return Collections.unmodifiableMap(best);
    }

    /** These, but where a member was reached if it is not configured here. */
    Map<NodeId, InetSocketAddress> corrected(Map<NodeId, InetSocketAddress> addresses) {
        Map<NodeId, InetSocketAddress> all = new LinkedHashMap<>(addresses);
        all.replaceAll((member, address) -> told.containsKey(member) ? best.getOrDefault(member, address) : address);
        return all;
    }

    /** Null: not known, or it is no member any more. */
    @Nullable
    InetSocketAddress of(NodeId member) {
        return left.contains(member) ? null : best.get(member);
    }

    void learn(Map<NodeId, InetSocketAddress> addresses) {
        addresses.forEach((member, address) -> {
            if (left.remove(member) || !best.containsKey(member)) {
                best.put(member, address);
                told.put(member, new ArrayList<>());
            }
            List<InetSocketAddress> known = told.get(member);
            if (known != null && !known.contains(address)) {
                if (known.size() == MOST_TOLD) {
                    known.remove(known.get(0).equals(best.get(member)) ? 1 : 0);
                }
                known.add(address);
            }
        });
    }

    /** That node is no member any more: if it becomes one again, it may be elsewhere. */
    void leaves(NodeId member) {
        left.add(member);
        told.remove(member);
    }

    /** It has answered there. */
    void reached(NodeId member, InetSocketAddress address) {
        if (told.containsKey(member)) {
            best.put(member, address);
        }
    }

    /** Where to call that member after a call in vain. */
    InetSocketAddress after(NodeId member, InetSocketAddress inVain) {
        List<InetSocketAddress> known = told.get(member);
        return known == null ? inVain : known.get((known.indexOf(inVain) + 1) % known.size());
    }
}
