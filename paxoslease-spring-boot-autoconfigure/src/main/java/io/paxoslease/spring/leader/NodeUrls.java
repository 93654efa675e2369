package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.PeerStatus;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The base URLs of nodes as configured: one by one, or by a template for the members. A client chooses its id by itself, so no template applies to
 * it: it has the URL that is configured for its id, or none.
 */
final class NodeUrls {

    private static final String PREFIX = "paxoslease.http.";

    private final @Nullable UrlTemplate template;
    private final Map<String, URI> urls = new TreeMap<>();
    private final Supplier<PaxosLease> node;

    NodeUrls(ElectionSettings.Urls configured, Supplier<PaxosLease> node) {
        this.node = node;
        String text = configured.template();
        this.template = text == null ? null : checked("url", text, UrlTemplate.parse(text));
        configured.byNode().forEach((id, url) -> urls.put(id, checked("urls." + id, url, UrlTemplate.url(url))));
        if (configured.redirect() && template == null && urls.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "redirect",
                    true,
                    "Needs the base URLs of the instances: set 'paxoslease.http.url', for instance to 'http://{node-id}.app:8080'.");
        }
    }

    private static <T> T checked(String name, String value, @Nullable T parsed) {
        if (parsed == null) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + name,
                    value,
                    "Must be 'http://' or 'https://', a host, and optionally a port and a path; in 'paxoslease.http.url' with {node-id} or {host} for the node's id or its host in 'paxoslease.peers', in the host or the path.");
        }
        return parsed;
    }

    /** The base URL of that node, without a slash at the end; empty if it is not configured. */
    Optional<URI> find(String nodeId) {
        URI url = urls.get(nodeId);
        if (url != null) {
            return Optional.of(url);
        }
        if (template == null) {
            return Optional.empty();
        }
        String host = hostOfMember(nodeId);
        return Optional.ofNullable(host == null ? null : template.of(nodeId, host));
    }

    /** The members may have changed since this node was configured. Null for a node that is no member; empty if its host is unknown. */
    private @Nullable String hostOfMember(String nodeId) {
        PaxosLease self = node.get();
        if (!self.monitor().options().algorithm().hasMembers()) {
            return ""; // instances that share a store are all alike, and name no hosts
        }
        for (PeerStatus peer : self.monitor().peers()) {
            if (peer.nodeId().equals(nodeId)) {
                return isConfirmed(self, peer) ? hostIn(peer.address()) : null;
            }
        }
        if (!self.monitor().peers().isEmpty()
                && (self.monitor().options().isClient()
                        || !nodeId.equals(self.monitor().options().nodeId()))) {
            return null; // it has left the cell, or never was a member of it
        }
        InetSocketAddress configured = self.monitor().options().peers().get(nodeId);
        if (configured == null) {
            return null;
        }
        String host = configured.getHostString();
        return host.contains(":") ? "[" + host + "]" : host;
    }

    /** A node can say that it is a member after a change that it has made up, on any host; and that a member is on one, which is tried. */
    private static boolean isConfirmed(PaxosLease self, PeerStatus peer) {
        MembershipStatus membership = self.monitor().status().membership();
        return membership == null
                || (membership.confirmedMembers().contains(peer.nodeId())
                        && (peer.connected()
                                || self.monitor().options().allPeers().containsKey(peer.nodeId())));
    }

    private static String hostIn(String address) {
        return address.substring(0, Math.max(0, address.lastIndexOf(':')));
    }
}
