package io.paxoslease.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** A cell of its own on free ports of this machine, with leases that end soon
 * but outlast a pause of a busy machine. Its nodes are n1, n2 and so on. */
public final class TestCell {

    private static final int PORTS = 1_000;
    /** Processes of one test run have ports of their own. */
    private static final int LOWEST_PORT = Integer.parseInt(System.getProperty("test.ports", "20000"));

    private final String name = "cell-" + UUID.randomUUID();
    private final Map<String, String> peers = new LinkedHashMap<>();

    public TestCell(int size) {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            // All of them are open until all are found, so that no port is found twice.
            while (sockets.size() < size) {
                sockets.add(freePort());
                int port = sockets.get(sockets.size() - 1).getLocalPort();
                peers.put("n" + sockets.size(), "127.0.0.1:" + port);
            }
        } finally {
            sockets.forEach(TestCell::close);
        }
    }

    public List<String> nodes() {
        return List.copyOf(peers.keySet());
    }

    /** Node id to address. */
    public Map<String, String> peers() {
        return Map.copyOf(peers);
    }

    /** The properties of the node with that id. */
    public String[] propertiesOf(String node) {
        return Stream.concat(
                        Stream.of(
                                "paxoslease.cell=" + name,
                                "paxoslease.standalone=false",
                                "paxoslease.node-id=" + node,
                                "paxoslease.lease-time=2s",
                                "paxoslease.max-lease-time=2s"),
                        peers.entrySet().stream()
                                .map(peer -> "paxoslease.peers.%s=%s".formatted(peer.getKey(), peer.getValue())))
                .toArray(String[]::new);
    }

    /** Listens on a random free port, which another process may have taken before. */
    public static ServerSocket freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, LOWEST_PORT + PORTS);
            Optional<ServerSocket> socket = listen(port);
            if (socket.isPresent()) {
                return socket.get();
            }
        }
    }

    private static Optional<ServerSocket> listen(int port) {
        try {
            return Optional.of(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        } catch (IOException taken) {
            return Optional.empty();
        }
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
