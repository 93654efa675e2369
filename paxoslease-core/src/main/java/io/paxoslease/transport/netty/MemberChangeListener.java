package io.paxoslease.transport.netty;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.ComingMembers;
import java.util.List;

/**
 * What connections pass on of a change of the members (section 9). On the event loop. {@link MemberChanges} knows the links, and these
 * their connections: without this interface all of them would need each other.
 */
interface MemberChangeListener {

    /** A handshake with that member is complete. */
    void isConnected(NodeId member);

    /** A member, whose identity the handshake established, says that they come. */
    void told(NodeId by, ComingMembers coming);

    /** What the other end of a connection is told, in that order: a generation means nothing to a node that does not know the one before. */
    List<ComingMembers> toTell();
}
