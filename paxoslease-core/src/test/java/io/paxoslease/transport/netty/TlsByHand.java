package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** One end of a TLS connection, record by record. */
final class TlsByHand {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final ByteBuffer come = ByteBuffer.allocate(128 * 1_024);
    private final ByteBuffer unwrapped = ByteBuffer.allocate(32 * 1_024);
    private final ByteBuffer wrapped = ByteBuffer.allocate(32 * 1_024);

    TlsByHand(SSLEngine engine) throws SSLException {
        this.engine = engine;
        engine.beginHandshake();
    }

    /** What is to be sent next; null when the handshake is complete, or waits. */
    @Nullable
    ByteBuf handshake() throws SSLException {
        while (true) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
            } else if (status == HandshakeStatus.NEED_WRAP) {
                return wrap(NOTHING);
            } else if (status != HandshakeStatus.NEED_UNWRAP || !unwrap()) {
                return null;
            }
        }
    }

    private boolean unwrap() throws SSLException {
        come.flip();
        unwrapped.clear();
        int consumed = engine.unwrap(come, unwrapped).bytesConsumed();
        come.compact();
        return consumed > 0;
    }

    private ByteBuf wrap(ByteBuffer data) throws SSLException {
        wrapped.clear();
        engine.wrap(data, wrapped);
        wrapped.flip();
        return Unpooled.buffer(wrapped.remaining()).writeBytes(wrapped);
    }

    /** What has come from the other end. */
    void take(ByteBuf bytes) throws SSLException {
        come.put(bytes.nioBuffer());
        boolean goesOn = true;
        while (goesOn) {
            goesOn = engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING && unwrap();
        }
    }

    /** One record with the data in it. */
    ByteBuf record(ByteBuf data) throws SSLException {
        return wrap(data.nioBuffer());
    }

    ByteBuf changeOfKeys() throws SSLException {
        engine.beginHandshake();
        return wrap(NOTHING);
    }
}
