package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Members that this node does not call (section 9): those that only the list of a neighbouring generation names, until it hears where they
 * are, and those that are members no more. They connect to it, and it sends over the connection that each of them made. On the event loop.
 */
final class UnlistedMembers {

    private final TransportContext transport;
    private final Map<NodeId, Member> members = new HashMap<>();

    private record Member(Connection connection, Incarnation bootId) {}

    UnlistedMembers(TransportContext transport) {
        this.transport = transport;
    }

    /** Refuses another process with the id of one that is connected; null when there is none. */
    @Nullable
    Rejection judge(Hello hello) {
        Member same = members.get(hello.from());
        return same == null || same.bootId().equals(hello.bootId())
                ? null
                : PeerLink.duplicate(hello.from(), same.connection().channel());
    }

    void admit(InboundConnection connection, Hello hello) {
        Member before = members.put(hello.from(), new Member(connection, hello.bootId()));
        if (before != null) { // the same process, which noticed first that its connection is dead, or renews TLS
            connection.releases.takeOver(before.connection().releases);
            before.connection().replaceAndClose();
        } else {
            transport.log.plain.info(
                    "Connected to member '{}' of generation {}, which dials from {}",
                    hello.from(),
                    hello.config().generation().number(),
                    Printable.name(connection.host()));
        }
        transport.introduced(hello);
    }

    /** The member was called, and is not any more. */
    void adopt(NodeId id, Connection connection, Incarnation bootId) {
        members.put(id, new Member(connection, bootId));
    }

    /** The member is called from now on. */
    void handOver(NodeId id, PeerLink link) {
        Member member = members.remove(id);
        if (member != null) {
            link.adopt(member.connection(), member.bootId());
        }
    }

    void closed(Connection connection, NodeId id) {
        Member member = members.get(id);
        if (member == null || member.connection() != connection) {
            return;
        }
        members.remove(id);
        if (!transport.isClosing()) {
            transport.gone(id);
        }
    }

    @Nullable
    Connection connection(NodeId id) {
        Member member = members.get(id);
        return member == null ? null : member.connection();
    }

    List<NodeId> ids() {
        return List.copyOf(members.keySet());
    }
}
