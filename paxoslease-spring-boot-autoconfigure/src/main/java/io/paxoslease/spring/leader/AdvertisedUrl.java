package io.paxoslease.spring.leader;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The base URL that an instance advertises with the leases of its roles. It travels as their note: lines of {@code key=value}, of which this is
 * {@code url}; a reader ignores other keys. A peer wrote what is read, so it counts only if {@link AllowedUrls} has a pattern for it.
 */
final class AdvertisedUrl {

    private static final String PROPERTY = "paxoslease.advertise.url";
    private static final String KEY = "url=";
    /** What a note leaves for the URL and for fields that are to come. */
    private static final int LONGEST = 200;

    private static final int MAX_PORT = 65_535;

    private AdvertisedUrl() {}

    /**
     * The configured URL.
     *
     * @throws InvalidConfigurationPropertyValueException if it is no base URL
     */
    static URI checked(String text) {
        URI url = parse(text.strip());
        if (url == null) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY,
                    text,
                    "Must be the base URL of this instance as callers reach it: 'http://' or 'https://', a host, and optionally a port and a path, at most %d characters of ASCII; for instance 'https://billing-0.app.svc:8443'."
                            .formatted(LONGEST));
        }
        return url;
    }

    /** The note with that URL. */
    static String note(URI url) {
        return KEY + url;
    }

    /** The URL in a note; null if it has none that is a base URL. */
    static @Nullable URI in(String note) {
        return note.lines()
                .filter(line -> line.startsWith(KEY))
                .findFirst()
                .map(line -> parse(line.substring(KEY.length())))
                .orElse(null);
    }

    /** It becomes part of a header, so it has no character that needs an encoding. */
    private static @Nullable URI parse(String text) {
        boolean isPlain = text.length() <= LONGEST && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
        URI url = isPlain ? UrlTemplate.url(text) : null;
        return url == null || !isPlainHost(url) ? null : url;
    }

    /** Whether the host is followed by nothing, or by a port that exists, in its plain form. */
    private static boolean isPlainHost(URI url) {
        String port = url.getPort() < 0 ? "" : ":" + url.getPort();
        return url.getRawAuthority().equals(url.getHost() + port) && url.getPort() != 0 && url.getPort() <= MAX_PORT;
    }
}
