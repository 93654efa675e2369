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
 * The base URLs of nodes: as configured one by one; else as the node advertises it, if that is allowed; else by a template for the members. A client
 * chooses its id by itself, so no template applies to it.
 */
final class NodeUrls {

    private static final String PREFIX = "paxoslease.http.";

    private final @Nullable UrlTemplate template;
    private final Map<String, URI> urls = new TreeMap<>();
    private final AllowedUrls allowed;
    private final @Nullable URI advertised;
    private final Supplier<PaxosLease> node;

    NodeUrls(ElectionSettings.Urls configured, Supplier<PaxosLease> node) {
        this.node = node;
        String text = configured.template();
        this.template = text == null ? null : checked("url", text, UrlTemplate.parse(text));
        configured.byNode().forEach((id, url) -> urls.put(id, checked("urls." + id, url, UrlTemplate.url(url))));
        this.allowed = new AllowedUrls(configured.allowed());
        String own = configured.advertised();
        this.advertised = own == null ? null : AdvertisedUrl.checked(own);
        if (configured.redirect() && template == null && urls.isEmpty() && allowed.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "redirect",
                    true,
                    "Needs the base URLs of the instances: set 'paxoslease.http.url', for instance to 'http://{node-id}.app:8080', or let each instance advertise its own with 'paxoslease.advertise.url', and allow them with 'paxoslease.http.allowed-urls'.");
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

    /**
     * The base URL of that node, without a slash at the end; empty if none is known.
     *
     * @param note of a lease that the node holds, as it is said; asked for only if it may count
     */
    Optional<URI> find(String nodeId, Supplier<Optional<String>> note) {
        URI url = urls.get(nodeId);
        if (url == null) {
            url = advertised(nodeId, note);
        }
        if (url != null) {
            return Optional.of(url);
        }
        if (template == null) {
            return Optional.empty();
        }
        String host = hostOfMember(nodeId);
        return Optional.ofNullable(host == null ? null : template.of(nodeId, host));
    }

    private @Nullable URI advertised(String nodeId, Supplier<Optional<String>> note) {
        if (advertised != null && nodeId.equals(node.get().monitor().options().nodeId())) {
            return advertised;
        }
        return allowed.isEmpty() ? null : note.get().map(allowed::find).orElse(null);
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
