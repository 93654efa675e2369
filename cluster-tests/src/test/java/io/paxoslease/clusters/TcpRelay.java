package io.paxoslease.clusters;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;

/**
 * The way of one instance to a server of this machine, which can be broken: held, so that bytes arrive when it is mended, or cut, so
 * that connections end and new ones end at once. Thread-safe.
 */
final class TcpRelay implements AutoCloseable {

    private static final int BUFFER = 8 * 1024;

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> open = new HashSet<>();
    private boolean held;
    private boolean cut;

    /** @param target a port of the loopback interface */
    TcpRelay(int target) {
        this.target = target;
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        inBackground(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Nothing passes until it is mended. */
    synchronized void hold() {
        held = true;
    }

    /** Ends every connection. There is none until it is mended. */
    synchronized void cut() {
        cut = true;
        open.forEach(TcpRelay::end);
        open.clear();
    }

    synchronized void mend() {
        held = false;
        cut = false;
        notifyAll();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket near = server.accept();
                connect(near);
            } catch (IOException e) {
                // The server does not run, or this ends.
            }
        }
    }

    private void connect(Socket near) throws IOException {
        try {
            if (!admit(near)) {
                return;
            }
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            far.setTcpNoDelay(true);
            near.setTcpNoDelay(true);
            if (admit(far)) {
                inBackground(() -> pump(near, far));
                inBackground(() -> pump(far, near));
            } else {
                end(near);
            }
        } catch (IOException e) {
            end(near);
            throw e;
        }
    }

    private synchronized boolean admit(Socket socket) {
        if (cut) {
            end(socket);
            return false;
        }
        return open.add(socket);
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                awaitPassage();
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // One of the two has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            forget(from);
            forget(to);
        }
    }

    private synchronized void awaitPassage() throws InterruptedException {
        while (held) {
            wait();
        }
    }

    private synchronized void forget(Socket socket) {
        open.remove(socket);
        end(socket);
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It has ended.
        }
    }

    private static void inBackground(Runnable task) {
        Thread thread = new Thread(task, "tcp-relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
        mend();
    }
}
