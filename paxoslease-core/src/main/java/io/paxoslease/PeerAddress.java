package io.paxoslease;

import io.paxoslease.protocol.Printable;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code host:port} and {@code [ipv6]:port}. */
final class PeerAddress {

    private static final Pattern FORM =
            Pattern.compile("(?:\\[([0-9a-fA-F:.%]+)]|([^\\s\\p{Cc}\\p{Cf}\\p{Z}:\\[\\]/]+)):(\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    private PeerAddress() {}

    static InetSocketAddress parse(String id, @Nullable String text) {
        Matcher matcher = FORM.matcher(text == null ? "" : text.trim());
        if (!matcher.matches()) {
            throw new InvalidOptionException(
                    "peers",
                    text,
                    "is no address for '%s'; write host:port, for instance 10.0.0.7:7400"
                            .formatted(Printable.name(id)));
        }
        int port = Integer.parseInt(matcher.group(3));
        if (port > MAX_PORT || port == 0) {
            throw new InvalidOptionException(
                    "peers", text, "the port of '%s' must be from 1 to %d".formatted(Printable.name(id), MAX_PORT));
        }
        String host = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
        return InetSocketAddress.createUnresolved(host, port);
    }
}
