package io.paxoslease.server;

import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.PeerStatus;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The names by which a node serves its actuator: addresses, {@code localhost}, this machine's name, the node's id, the hosts of the members, and
 * what is configured. A page in a browser that has its own name point to the node (DNS rebinding) asks by that name, which is none of these. Thread-safe.
 */
final class AllowedHosts {

    private static final String ANY = "*";
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]+(%[0-9a-z._~-]+)?]");

    private final Supplier<PaxosLease> node;
    private final Set<String> names = new HashSet<>();

    /** @param more {@code *} for all hosts */
    AllowedHosts(Supplier<PaxosLease> node, Collection<String> more) {
        this.node = node;
        names.add("localhost");
        more.forEach(name -> names.add(normal(name.strip())));
        for (String variable : List.of("HOSTNAME", "COMPUTERNAME")) {
            String name = System.getenv(variable);
            if (name != null && !name.isBlank()) {
                names.add(normal(name));
            }
        }
        try {
            names.add(normal(InetAddress.getLocalHost().getHostName()));
        } catch (UnknownHostException e) {
            names.add("localhost"); // as a machine that does not know its name is called
        }
    }

    /** @param header of the request, with a port or without */
    boolean contains(String header) {
        String host = normal(withoutPort(header.strip()));
        return IPV4.matcher(host).matches()
                || IPV6.matcher(host).matches()
                || names.contains(host)
                || names.contains(ANY)
                || isOfCell(node.get(), host);
    }

    /** The members may have changed since the start. */
    private static boolean isOfCell(PaxosLease self, String host) {
        return host.equals(normal(self.monitor().options().nodeId()))
                || self.monitor().options().allPeers().values().stream()
                        .anyMatch(peer -> host.equals(normal(peer.getHostString())))
                || self.monitor().peers().stream()
                        .filter(peer -> host.equals(normal(withoutPort(peer.address()))))
                        .anyMatch(peer -> isConfirmed(self, peer));
    }

    /** A node can say that it is a member after a change that it has made up, on any host; and that a member is on one, which is tried. */
    private static boolean isConfirmed(PaxosLease self, PeerStatus peer) {
        MembershipStatus membership = self.monitor().status().membership();
        return peer.connected()
                && (membership == null || membership.confirmedMembers().contains(peer.nodeId()));
    }

    private static String withoutPort(String header) {
        int colon = header.lastIndexOf(':');
        return colon < 0 || header.endsWith("]") ? header : header.substring(0, colon);
    }

    private static String normal(String host) {
        return host.toLowerCase(Locale.ROOT);
    }
}
