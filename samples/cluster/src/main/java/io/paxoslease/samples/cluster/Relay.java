package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The network from one instance to another: carries TCP connections to a port of this machine. While it is closed it is a
 * black hole: connections stay open, and neither bytes nor their ends get through; new ones are not answered. What waits
 * is carried late, as TCP would carry it.
 */
final class Relay implements AutoCloseable {

    /** A peer has one connection, and one that replaces it. More than this many wait until others have ended. */
    private static final int MOST_CONNECTIONS = 8;

    private static final int BACKLOG = 4;
    private static final int BUFFER = 16_384;

    private final String name;
    private final int target;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Semaphore places = new Semaphore(MOST_CONNECTIONS);
    private boolean carrying = true;

    /**
     * Listens on a port that the system chooses.
     *
     * @param name for its threads
     * @param target the port to connect to; no process needs to listen there yet
     */
    Relay(String name, int target) throws IOException {
        this.name = name;
        this.target = target;
        this.server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    }

    int port() {
        return server.getLocalPort();
    }

    void start() {
        thread("accept", this::acceptAll);
    }

    /** Carries, or is a black hole from now on. */
    synchronized void carry(boolean carries) {
        carrying = carries;
        notifyAll();
    }

    private synchronized void awaitCarrying() throws InterruptedException {
        while (!carrying) {
            wait();
        }
    }

    private void acceptAll() {
        try {
            while (!server.isClosed()) {
                places.acquire();
                awaitCarrying();
                accept();
            }
        } catch (IOException closed) {
            // That is how it ends.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() throws IOException, InterruptedException {
        Socket near = open(server.accept());
        awaitCarrying(); // closed while this waited for a connection
        Socket far = open(new Socket());
        try {
            far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
        } catch (IOException noListener) {
            end(near, far);
            return;
        }
        AtomicInteger directions = new AtomicInteger(2);
        thread("there", () -> pump(near, far, directions));
        thread("back", () -> pump(far, near, directions));
    }

    /** The sockets are closed after both directions have ended, or one has failed. */
    private void pump(Socket from, Socket to, AtomicInteger directions) {
        try {
            copy(from.getInputStream(), to.getOutputStream());
            awaitCarrying();
            to.shutdownOutput();
        } catch (IOException broken) {
            close(from);
            close(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (directions.decrementAndGet() == 0) {
            end(from, to);
        }
    }

    private void copy(InputStream in, OutputStream out) throws IOException, InterruptedException {
        byte[] buffer = new byte[BUFFER];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            awaitCarrying();
            out.write(buffer, 0, length);
        }
    }

    private Socket open(Socket socket) {
        sockets.add(socket);
        return socket;
    }

    private void end(Socket near, Socket far) {
        close(near);
        close(far);
        places.release();
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // No longer needed.
        }
    }

    private void thread(String part, Runnable work) {
        Thread thread = new Thread(work, "relay-" + name + "-" + part);
        thread.setDaemon(true);
        thread.start();
    }

    /** Ends every connection. */
    @Override
    public void close() throws IOException {
        server.close();
        carry(true);
        sockets.forEach(this::close);
    }
}
