package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.watch.WatchMessage;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Unwatch;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import io.paxoslease.protocol.watch.WatchedRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The binary form of the messages of watches, as in {@link MessageCodec}. */
final class WatchCodec {

    private static final int WATCH = 14;
    private static final int UNWATCH = 15;
    private static final int CHANGES = 30;

    private static final int RESET = 1;
    private static final int MORE = 2;

    private WatchCodec() {}

    static boolean isOne(Message message) {
        return message instanceof WatchMessage;
    }

    static boolean isOne(int type) {
        return type == WATCH || type == UNWATCH || type == CHANGES;
    }

    static void encode(ByteBuf out, Message message) {
        if (message instanceof Watch m) {
            out.writeByte(WATCH);
            Wire.writeText(out, m.prefix());
            Wire.writeIncarnation(out, m.boot());
            out.writeLong(m.version());
            out.writeBoolean(m.asks());
        } else if (message instanceof Unwatch m) {
            out.writeByte(UNWATCH);
            Wire.writeText(out, m.prefix());
        } else if (message instanceof Changes m) {
            encodeChanges(out, m);
        }
    }

    private static void encodeChanges(ByteBuf out, Changes message) {
        if (message.changes().size() > Changes.MOST) {
            throw new IllegalArgumentException("More than " + Changes.MOST + " changes in one message");
        }
        out.writeByte(CHANGES);
        Wire.writeText(out, message.prefix());
        Wire.writeIncarnation(out, message.boot());
        out.writeLong(message.from());
        out.writeLong(message.to());
        out.writeByte((message.reset() ? RESET : 0) | (message.isLast() ? 0 : MORE));
        out.writeByte(message.changes().size());
        for (Change change : message.changes()) {
            Wire.writeText(out, change.resource());
            writeRecord(out, change.record());
        }
    }

    private static void writeRecord(ByteBuf out, @Nullable WatchedRecord record) {
        out.writeBoolean(record != null);
        if (record != null) {
            Wire.writeNodeId(out, record.node());
            Wire.writeIncarnation(out, record.incarnation());
            out.writeLong(record.counter());
            Wire.writeText(out, record.note());
        }
    }

    /** Reads what follows the type, which {@link #isOne(int)}. */
    static WatchMessage decode(int type, ByteBuf in) {
        String prefix = Wire.readText(in);
        return switch (type) {
            case WATCH ->
                new Watch(prefix, Wire.readIncarnation(in), Wire.readNonNegativeLong(in), Wire.readBoolean(in));
            case UNWATCH -> new Unwatch(prefix);
            default -> decodeChanges(prefix, in);
        };
    }

    private static Changes decodeChanges(String prefix, ByteBuf in) {
        var boot = Wire.readIncarnation(in);
        long from = Wire.readNonNegativeLong(in);
        long to = Wire.readNonNegativeLong(in);
        int flags = Wire.readUnsignedByte(in);
        if (flags > (RESET | MORE)) {
            throw new MalformedFrameException("unknown flags of changes " + flags);
        }
        List<Change> changes = Wire.readList(
                in, Wire.readUnsignedByte(in), Changes.MOST, "changes in one message", WatchCodec::readChange);
        return new Changes(prefix, boot, from, to, (flags & RESET) != 0, (flags & MORE) == 0, changes);
    }

    private static Change readChange(ByteBuf in) {
        String resource = Wire.readText(in);
        return new Change(resource, Wire.readBoolean(in) ? readRecord(in) : null);
    }

    private static WatchedRecord readRecord(ByteBuf in) {
        return new WatchedRecord(
                Wire.readNodeId(in), Wire.readIncarnation(in), Wire.readNonNegativeLong(in), Wire.readText(in));
    }
}
