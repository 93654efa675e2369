package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.PeerStatus;
import io.paxoslease.spring.leader.NodeUrls;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The base URLs of nodes as configured: one by one, or by a template. */
final class ConfiguredNodeUrls implements NodeUrls {

    private static final String PREFIX = PaxosLeaseProperties.PREFIX + "http.";
    private static final String NODE_ID = "{node-id}";
    private static final String HOST = "{host}";

    private final @Nullable String template;
    private final Map<String, URI> urls = new TreeMap<>();
    private final Supplier<PaxosLease> node;

    /** @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change */
    ConfiguredNodeUrls(PaxosLeaseProperties.Http http, Supplier<PaxosLease> node) {
        this.node = node;
        this.template = http.url();
        if (template != null) {
            check("url", template, template.replace(NODE_ID, "node").replace(HOST, "host"));
        }
        http.urls().forEach((id, url) -> urls.put(id, check("urls." + id, url, url)));
        if (http.redirect() && template == null && urls.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "redirect",
                    true,
                    "Needs the base URLs of the instances: set 'paxoslease.http.url', for instance to 'http://{node-id}.app:8080'.");
        }
    }

    private static URI check(String name, String value, String filled) {
        URI uri = parse(filled);
        if (uri == null
                || uri.getHost() == null
                || uri.getQuery() != null
                || uri.getFragment() != null
                || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + name,
                    value,
                    "Must be 'http://' or 'https://', a host, and optionally a port and a path; in 'paxoslease.http.url' with {node-id} or {host} for the node's id or its host in 'paxoslease.peers'.");
        }
        return uri;
    }

    /** Without slashes at the end, as a path is appended; null if it cannot be one. */
    private static @Nullable URI parse(String url) {
        String bare = url.strip();
        while (bare.endsWith("/")) {
            bare = bare.substring(0, bare.length() - 1);
        }
        try {
            return new URI(bare);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    @Override
    public Optional<URI> find(String nodeId) {
        URI url = urls.get(nodeId);
        if (url != null) {
            return Optional.of(url);
        }
        if (template == null) {
            return Optional.empty();
        }
        String filled = template.replace(NODE_ID, nodeId);
        if (filled.contains(HOST)) {
            String host = host(nodeId);
            if (host == null) {
                return Optional.empty();
            }
            filled = filled.replace(HOST, host);
        }
        URI found = parse(filled); // an id with characters that no host has is none
        return Optional.ofNullable(found == null || found.getHost() == null ? null : found);
    }

    /** The members may have changed since this node was configured. */
    private @Nullable String host(String nodeId) {
        PaxosLease self = node.get();
        for (PeerStatus peer : self.peers()) {
            if (peer.nodeId().equals(nodeId)) {
                return peer.address().substring(0, peer.address().lastIndexOf(':'));
            }
        }
        InetSocketAddress configured = self.options().peers().get(nodeId);
        if (configured == null) {
            return null;
        }
        String host = configured.getHostString();
        return host.contains(":") ? "[" + host + "]" : host;
    }
}
