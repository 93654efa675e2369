package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What members say over one connection besides messages: whom they have met that runs another configuration, and which members are to come.
 * Members hear both from members only, and clients hear of the members that are to come. On the event loop.
 */
final class MemberFrames {

    private final Connection connection;
    /** What the other end runs, or has told of since; null before the handshake. */
    private @Nullable Generation heard;
    /** What it has told of last; null: nothing. */
    private @Nullable ComingMembers itsOwn;
    /** What it was told of, as far as it would be told of that now. */
    private List<ComingMembers> told = List.of();

    MemberFrames(Connection connection) {
        this.connection = connection;
    }

    void introduced(Hello peer) {
        heard = peer.config().generation();
    }

    /** Of a client nothing of this is taken: it could keep every node silent that starts, or send all of them elsewhere. */
    void read(int type, NodeId from, ByteBuf body) {
        TransportContext transport = connection.transport;
        boolean isFromClient = connection.liveness.isOfClient() && !transport.identity.isClient();
        boolean isComing = type == Frames.COMING;
        boolean isOther = type == Frames.OTHER && !transport.identity.isClient();
        if (isFromClient || !(isComing || isOther)) {
            throw new MalformedFrameException("unknown frame type " + type);
        }
        if (isOther) {
            transport.heardOf(Frames.readHello(body, transport.identity.versions()));
            return;
        }
        ComingMembers coming = Frames.readComing(body);
        heard = coming.generation();
        itsOwn = coming;
        transport.changes().told(from, coming);
    }

    void tellNews() {
        tell(connection.transport.changes().toTell());
    }

    /**
     * Each once, as long as the other end has told of nothing later, nor of just this: it may have wrong addresses. One that is slow to read is
     * told later.
     */
    void tell(List<ComingMembers> news) {
        if (news.equals(told)) {
            return;
        }
        List<ComingMembers> all = new ArrayList<>();
        for (ComingMembers coming : news) {
            if (told.contains(coming) || send(coming)) {
                all.add(coming);
            }
        }
        told = List.copyOf(all);
    }

    private boolean send(ComingMembers coming) {
        Generation its = heard;
        return its != null
                && its.number() <= coming.generation().number()
                && !coming.equals(itsOwn)
                && connection.isReady()
                && connection.sendIfWritable(out -> Frames.writeComing(out, coming));
    }
}
