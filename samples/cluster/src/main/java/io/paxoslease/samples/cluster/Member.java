package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A member of the cell.
 *
 * @param name its node id
 * @param peerPort the port on which it listens to the other members
 * @param httpPort the port on which it answers HTTP
 */
record Member(String name, int peerPort, int httpPort) {

    static final int COUNT = 3;
    static final String HOST = "127.0.0.1";

    /** n1, n2 and n3. */
    static List<Member> all(ClusterOptions options) {
        return IntStream.range(0, COUNT)
                .mapToObj(i -> new Member("n" + (i + 1), options.basePort() + i, options.httpPort() + i))
                .toList();
    }

    String peerAddress() {
        return HOST + ":" + peerPort;
    }

    String url() {
        return origin() + "/actuator/leases";
    }

    /** Of what it answers by HTTP. */
    String origin() {
        return "http://" + HOST + ":" + httpPort;
    }

    /** What to do about a port of this member that is in use; null when both are free. */
    @Nullable
    String portInUse() {
        if (!isFree(peerPort)) {
            return advice(peerPort, "its peers connect to", "--base-port");
        }
        return isFree(httpPort) ? null : advice(httpPort, "it answers HTTP on", "--http-port");
    }

    private String advice(int port, String purpose, String option) {
        return "Port %d, which %s would be %s, is in use.%nStop what uses it, or choose three others: %s=%d"
                .formatted(port, name, purpose, option, port + 100);
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }
}
