package io.paxoslease.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One end of a connection, spoken by hand. */
public final class RawConnection implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;

    private RawConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) Eventually.LIMIT.toMillis());
        this.in = new DataInputStream(socket.getInputStream());
    }

    /** A frame without its length. */
    public record Frame(int type, ByteBuf body) {}

    public static RawConnection to(int port) throws IOException {
        return new RawConnection(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Over a socket that is connected, such as one with TLS. */
    public static RawConnection over(Socket connected) throws IOException {
        return new RawConnection(connected);
    }

    /** The next connection that somebody makes to the server. */
    public static RawConnection acceptedBy(ServerSocket server) throws IOException {
        return new RawConnection(server.accept());
    }

    /** Listens with a small receive buffer, so that what is not read soon stays with the sender. */
    public static ServerSocket listen(int port) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        server.setReceiveBufferSize(4_096);
        server.setSoTimeout((int) Eventually.LIMIT.toMillis());
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return server;
    }

    public void write(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    public void write(Consumer<ByteBuf> frames) throws IOException {
        ByteBuf out = Unpooled.buffer();
        frames.accept(out);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        write(bytes);
    }

    /** Null when the other side has closed. */
    public @Nullable Frame read() throws IOException {
        try {
            int length = in.readInt();
            byte[] frame = new byte[length];
            in.readFully(frame);
            return new Frame(frame[0], Unpooled.wrappedBuffer(frame, 1, length - 1));
        } catch (EOFException closed) {
            return null;
        } catch (SocketException reset) {
            return null;
        }
    }

    /** The next frame of that type; others are skipped. Null when the other side has closed. */
    public @Nullable Frame read(int type) throws IOException {
        Frame frame = read();
        while (frame != null && frame.type() != type) {
            frame = read();
        }
        return frame;
    }

    /** Reads until the other side closes; fails with a time-out when it does not. */
    public void awaitClosed() throws IOException {
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (SocketException reset) {
            // Closed as well.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
