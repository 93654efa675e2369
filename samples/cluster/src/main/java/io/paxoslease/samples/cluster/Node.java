package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node of the cell: a member, which votes, or a client.
 *
 * @param name its node id
 * @param peerPort the port on which a member listens to the others; zero of a client, which listens nowhere
 * @param httpPort the port on which it answers HTTP
 */
record Node(String name, int peerPort, int httpPort) {

    /** How many members a cell starts with. */
    static final int MEMBERS = 3;

    /** How many it can have after a change. */
    static final int MOST_MEMBERS = 5;

    private static final String MEMBER = "n";
    private static final String CLIENT = "c";
    static final String HOST = "127.0.0.1";

    /** n1 to n5, of which the first three are there from the start, and the clients from c1 on. */
    static List<Node> all(ClusterOptions options) {
        Stream<Node> members = IntStream.range(0, MOST_MEMBERS)
                .mapToObj(i -> new Node(
                        MEMBER + (i + 1),
                        options.basePort() + i,
                        i < MEMBERS ? options.httpPort() + i : options.furtherHttpPort() + i - MEMBERS));
        Stream<Node> clients = IntStream.range(0, options.clients())
                .mapToObj(i -> new Node(CLIENT + (i + 1), 0, options.httpPort() + MEMBERS + i));
        return Stream.concat(members, clients).toList();
    }

    /** Everything that can be a member, in order. */
    static List<String> memberNames() {
        return IntStream.rangeClosed(1, MOST_MEMBERS).mapToObj(i -> MEMBER + i).toList();
    }

    /** Whether the node of that name votes. */
    static boolean isMember(String name) {
        return !name.startsWith(CLIENT);
    }

    boolean isMember() {
        return isMember(name);
    }

    String peerAddress() {
        return HOST + ":" + peerPort;
    }

    String url() {
        return origin() + "/actuator/leases";
    }

    /** Of what it says of a group of shards. */
    String shardsUrl(String group) {
        return origin() + "/actuator/shards/" + group;
    }

    /** Of what it answers by HTTP. */
    String origin() {
        return "http://" + HOST + ":" + httpPort;
    }

    /** What to do about a port of this node that is in use; null when none is. */
    @Nullable
    String portInUse() {
        if (isMember() && !isFree(peerPort)) {
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
