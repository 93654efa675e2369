package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.paxoslease.monitor.ConnectionRefusal;

/** Counts the bytes, and the TLS records, that come before the handshake, TLS included, is complete: so much and no more. */
final class HandshakeBytes extends ChannelInboundHandlerAdapter {

    /** A hello has at most 17 kB, a certificate chain at most 32 kB; a frame, which is judged when it is there, 64 kB. */
    static final int MAX_BYTES = 128 * 1_024;

    /** A TLS handshake has about six, and a chain of 32 kB in records of 512 bytes has 64. */
    private static final int MOST_RECORDS = 128;
    /** Of them, between the TLS handshake and the introduction: nothing has to be said there. */
    static final int MOST_SILENT_RECORDS = 8;

    private static final int FIRST_OF_TLS = 0x14;
    private static final int LAST_OF_TLS = 0x17;

    private final Connection connection;
    private long count;
    private int first = -1;
    private int records;
    private int silentRecords;

    HandshakeBytes(Connection connection) {
        this.connection = connection;
    }

    /** Whether the first byte is that of a TLS record; no frame starts with it. */
    boolean looksLikeTls() {
        return first >= FIRST_OF_TLS && first <= LAST_OF_TLS;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        int length = read instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        if (count == 0 && length > 0 && read instanceof ByteBuf bytes) {
            first = bytes.getUnsignedByte(bytes.readerIndex());
        }
        count += length;
        context.fireChannelRead(read);
        if (connection.isReady()) {
            if (!context.isRemoved()) {
                context.pipeline().remove(this);
            }
        } else if (count > MAX_BYTES) {
            connection.giveUp(
                    ConnectionRefusal.MALFORMED,
                    "it sent more than %d bytes without introducing itself".formatted(MAX_BYTES));
        }
    }

    void tookRecord(boolean isSilent) {
        records++;
        silentRecords += isSilent ? 1 : 0;
        if (records == MOST_RECORDS || silentRecords == MOST_SILENT_RECORDS) {
            connection.giveUp(
                    ConnectionRefusal.MALFORMED,
                    "it sent %d TLS records without introducing itself, %d of them without data"
                            .formatted(records, silentRecords));
        }
    }
}
