package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.paxoslease.ConnectionRefusal;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * TLS on one connection. The time for the handshake, HELLO included, is kept by {@link Connection}. Each record costs the event loop time, also one
 * that brings no data, such as a change of keys: so there are few before the introduction, and those of a client are read only as its budget allows.
 */
final class TlsReader extends SslHandler {

    /** Before the introduction. A handshake has about six, and a chain of 32 kB in records of 512 bytes has 64. */
    static final int MOST_RECORDS = 128;
    /** Of them, between the handshake and the introduction: nothing has to be said there. */
    static final int MOST_SILENT_RECORDS = 8;

    private final Connection connection;
    private int records;
    private int silentRecords;
    private boolean holds;

    TlsReader(SSLEngine engine, Connection connection, Executor tasks) {
        super(engine, tasks);
        this.connection = connection;
        setHandshakeTimeoutMillis(0);
    }

    /** Reads one record, if it is there. */
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws SSLException {
        ClientReading reading = connection.liveness.reading();
        holds = reading != null && !reading.takes();
        if (holds || !context.channel().isOpen()) {
            return;
        }
        int length = in.readableBytes();
        int reads = connection.frames.reads();
        boolean isShaken = handshakeFuture().isDone();
        super.decode(context, in, out);
        if (in.readableBytes() == length) {
            return;
        }
        boolean isSilent = connection.frames.reads() == reads;
        if (reading != null) {
            reading.tookRecord(isSilent);
        } else if (!connection.isIntroduced()) {
            tookRecord(isShaken && isSilent);
        }
    }

    /** Before the introduction. */
    private void tookRecord(boolean isSilent) {
        records++;
        silentRecords += isSilent ? 1 : 0;
        if (records == MOST_RECORDS || silentRecords == MOST_SILENT_RECORDS) {
            connection.giveUp(
                    ConnectionRefusal.MALFORMED,
                    "it sent %d TLS records without introducing itself, %d of them without data"
                            .formatted(records, silentRecords));
        }
    }

    /** Whether something was left unread that may be a record. */
    boolean holds() {
        return holds;
    }

    /** How many bytes of memory the records take that are not read. */
    int kept() {
        return actualReadableBytes() == 0 ? 0 : internalBuffer().capacity();
    }
}
