package io.paxoslease.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of the loopback interface, below the range that the system hands out to clients. */
public final class FreePorts {

    private static final int FIRST = 20_000;
    private static final int LAST = 29_999;

    private FreePorts() {}

    /** An address for each name, on ports that were free just now. */
    public static Map<String, String> forNodes(String... names) {
        Map<String, String> addresses = new LinkedHashMap<>();
        for (String name : names) {
            String address;
            do {
                address = "127.0.0.1:" + freePort();
            } while (addresses.containsValue(address));
            addresses.put(name, address);
        }
        return addresses;
    }

    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException inUse) {
                // Another one, then.
            }
        }
    }
}
