package io.paxoslease.spring.leader;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A base URL with places for the id and the host of a member. An id fills its place only as one label of a host name (RFC 1123), so it changes
 * nothing else of the URL: neither its scheme, port and path nor the rest of its host.
 */
final class UrlTemplate {

    private static final String NODE_ID = "{node-id}";
    private static final String HOST = "{host}";
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

    /** Browsers take a host name that ends with a number for an IPv4 address. */
    private static final Pattern NUMBER = Pattern.compile("(.*\\.)?([0-9]+|0[xX][0-9A-Fa-f]*)\\.?");

    private final String text;
    private final URI sample;

    private UrlTemplate(String text, URI sample) {
        this.text = text;
        this.sample = sample;
    }

    /** Null if it is no base URL, or has a place elsewhere than in the host and the path. */
    static @Nullable UrlTemplate parse(String text) {
        String bare = text.strip();
        URI sample = url(fill(bare, "node", "host"));
        return sample == null ? null : new UrlTemplate(bare, sample);
    }

    /**
     * The text as a base URL, without slashes at the end, as a path is appended: {@code http} or {@code https}, a host, and optionally a port and
     * a path. Null if it is none.
     */
    static @Nullable URI url(String text) {
        String bare = text.strip();
        while (bare.endsWith("/")) {
            bare = bare.substring(0, bare.length() - 1);
        }
        try {
            URI uri = new URI(bare);
            boolean isBase = uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
            return isBase ? uri : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** Whether the host is an IPv4 address to a browser. */
    static boolean isNumber(String host) {
        return NUMBER.matcher(host).matches();
    }

    private static String fill(String text, String nodeId, String host) {
        return text.replace(NODE_ID, nodeId).replace(HOST, host);
    }

    /**
     * The base URL of a member; null if it has none.
     *
     * @param host its host, IPv6 in brackets; empty if it is unknown
     */
    @Nullable
    URI of(String nodeId, String host) {
        boolean withId = text.contains(NODE_ID);
        boolean withHost = text.contains(HOST);
        if ((withId && !LABEL.matcher(nodeId).matches()) || (withHost && host.isEmpty())) {
            return null;
        }
        URI url = url(fill(text, nodeId, host));
        if (url == null || !isLike(url)) {
            return null;
        }
        boolean isAddress = withId && !withHost && isNumber(url.getHost());
        return isAddress ? null : url;
    }

    /** The label is checked before; this would also notice what its check had missed. */
    private boolean isLike(URI url) {
        return url.getScheme().equals(sample.getScheme())
                && url.getPort() == sample.getPort()
                && url.getHost().endsWith(fixedEnd(sample.getHost()))
                && segments(url) == segments(sample);
    }

    /** The part of the host after the last place: the template's text, which no member chooses. */
    private String fixedEnd(String host) {
        String authority = text.substring(text.indexOf("//") + 2);
        int path = authority.indexOf('/');
        String own = path < 0 ? authority : authority.substring(0, path);
        int place = own.lastIndexOf('}');
        if (place < 0) {
            return host;
        }
        String end = own.substring(place + 1);
        int port = end.lastIndexOf(':');
        return port < 0 ? end : end.substring(0, port);
    }

    private static long segments(URI url) {
        return Objects.requireNonNullElse(url.getRawPath(), "")
                .chars()
                .filter(c -> c == '/')
                .count();
    }
}
