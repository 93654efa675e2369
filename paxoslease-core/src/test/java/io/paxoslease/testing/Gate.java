package io.paxoslease.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Forwards connections to a port of the loopback address. While it is shut, bytes stay where they are and nobody is told,
 * as in a network that lost a route.
 */
public final class Gate implements AutoCloseable {

    private final int port = FreePorts.next();
    private final int target;
    private final ServerSocket server = new ServerSocket();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private boolean shut;

    private Gate(int target) throws IOException {
        this.target = target;
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    public static Gate to(int target) throws IOException {
        Gate gate = new Gate(target);
        daemon(gate::acceptAll);
        return gate;
    }

    public int port() {
        return port;
    }

    public synchronized void shut() {
        shut = true;
    }

    public synchronized void open() {
        shut = false;
        notifyAll();
    }

    private void acceptAll() throws IOException, InterruptedException {
        while (true) {
            Socket here = server.accept();
            sockets.add(here);
            daemon(() -> forward(here));
        }
    }

    private void forward(Socket here) throws IOException, InterruptedException {
        pass();
        Socket there = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(there);
        daemon(() -> pump(here, there));
        pump(there, here);
    }

    private void pump(Socket from, Socket to) throws IOException, InterruptedException {
        try (from;
                to) {
            to.setTcpNoDelay(true);
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8_192];
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                pass();
                out.write(bytes, 0, n);
            }
            pass();
        }
    }

    private synchronized void pass() throws InterruptedException {
        while (shut) {
            wait();
        }
    }

    @Override
    public void close() throws IOException {
        open();
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException | InterruptedException closed) {
                // The end of a connection, or of the gate.
            }
        });
        thread.setName("test-gate");
        thread.setDaemon(true);
        thread.start();
    }
}
