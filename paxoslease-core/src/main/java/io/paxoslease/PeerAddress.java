package io.paxoslease;

import io.paxoslease.protocol.Printable;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code host:port} and {@code [ipv6]:port}. */
final class PeerAddress {

    private static final Pattern FORM = Pattern.compile(
            "(?:\\[([0-9a-fA-F:.]+(?:%[A-Za-z0-9._~-]+)?)]|([^\\s\\p{Cc}\\p{Cf}\\p{Z}:\\[\\]/]+)):(\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    private PeerAddress() {}

    /** @param option the list in which the node stands */
    static InetSocketAddress parse(String option, String id, @Nullable String text) {
        return read(option, "'" + Printable.name(id) + "'", text);
    }

    static InetSocketAddress parseContactPoint(@Nullable String text) {
        return read("contactPoints", "a contact point", text);
    }

    private static InetSocketAddress read(String option, String whose, @Nullable String text) {
        Matcher matcher = FORM.matcher(text == null ? "" : text.trim());
        if (!matcher.matches()) {
            throw new InvalidOptionException(
                    option,
                    text,
                    "is no address for %s; write host:port, for instance 10.0.0.7:7400 or [2001:db8::7]:7400"
                            .formatted(whose));
        }
        int port = Integer.parseInt(matcher.group(3));
        if (port > MAX_PORT || port == 0) {
            throw new InvalidOptionException(
                    option, text, "the port of %s must be from 1 to %d".formatted(whose, MAX_PORT));
        }
        String host = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
        return InetSocketAddress.createUnresolved(host, port);
    }
}
