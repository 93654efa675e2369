package io.paxoslease.transport.netty;

import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;

/** TLS on one connection. The time for the handshake, HELLO included, is kept by {@link Connection}. */
final class TlsReader extends SslHandler {

    TlsReader(SSLEngine engine, Executor tasks) {
        super(engine, tasks);
        setHandshakeTimeoutMillis(0);
    }

    /** How many bytes of memory the record that has come in part takes. */
    int kept() {
        return actualReadableBytes() == 0 ? 0 : internalBuffer().capacity();
    }
}
