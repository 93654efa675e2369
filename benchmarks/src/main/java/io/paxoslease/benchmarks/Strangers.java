package io.paxoslease.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Connections to a port that never introduce themselves, so many at a time: each begins a frame or a TLS handshake, waits, and
 * when it is closed comes again after a second. A thread of its own.
 */
final class Strangers implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SELECT_MILLIS = 10;

    private final int port;
    private final int addresses;
    private final byte[] opening;
    private final Selector selector = Selector.open();
    private final ByteBuffer read = ByteBuffer.allocate(16_384);
    /** When those that are out come again. */
    private final Deque<Long> out = new ArrayDeque<>();

    private final Thread thread = new Thread(this::run, "strangers");
    private volatile boolean over;
    private final AtomicLong made = new AtomicLong();

    /** @param addresses from how many addresses of the loopback network they come */
    Strangers(int port, int count, int addresses, boolean tls) throws IOException, GeneralSecurityException {
        this.port = port;
        this.addresses = addresses;
        this.opening = tls ? clientHello() : new byte[] {0, 0, 1, 0, 1};
        long now = System.nanoTime();
        for (int i = 0; i < count; i++) {
            out.add(now);
        }
        thread.start();
    }

    private static byte[] clientHello() throws IOException, GeneralSecurityException {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        byte[] bytes = new byte[hello.flip().remaining()];
        hello.get(bytes);
        return bytes;
    }

    /** So far. */
    long made() {
        return made.get();
    }

    private void run() {
        try {
            while (!over) {
                while (!out.isEmpty() && out.peek() - System.nanoTime() <= 0) {
                    out.remove();
                    come();
                }
                selector.select(this::goOn, SELECT_MILLIS);
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new IllegalStateException("the strangers cannot go on", e);
        }
    }

    private void come() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.bind(new InetSocketAddress(loopback((int) (2 + made.get() % addresses)), 0));
        channel.register(selector, SelectionKey.OP_CONNECT);
        channel.connect(new InetSocketAddress(loopback(1), port));
        made.incrementAndGet();
    }

    private static InetAddress loopback(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    private void goOn(SelectionKey key) {
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            if (key.isConnectable() && channel.finishConnect()) {
                channel.write(ByteBuffer.wrap(opening));
                key.interestOps(SelectionKey.OP_READ);
            } else if (key.isReadable() && channel.read(read.clear()) < 0) {
                leave(channel);
            }
        } catch (IOException closed) {
            leave(channel);
        }
    }

    private void leave(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
        out.add(System.nanoTime() + PAUSE_NANOS);
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
