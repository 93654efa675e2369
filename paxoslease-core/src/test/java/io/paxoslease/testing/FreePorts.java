package io.paxoslease.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports of the loopback address that nobody listens on, each given out once per process. */
public final class FreePorts {

    private static final int COUNT = 1_000;
    /** Processes of one test run have ports of their own. */
    private static final int FIRST = Integer.parseInt(System.getProperty("test.ports", "20000"));
    /** Test runs side by side start in different places. */
    private static final AtomicInteger next =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % COUNT));

    private FreePorts() {}

    public static int next() {
        for (int i = 0; i < COUNT; i++) {
            int port = FIRST + Math.floorMod(next.getAndIncrement(), COUNT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("No free port from " + FIRST + " on");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
