package io.paxoslease.spring.leader;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Which advertised base URLs are followed. A pattern has the scheme, the host and optionally the port of a URL; without a port it means the
 * scheme's own. A {@code *} stands for one or more letters, digits and hyphens of one label of the host, or for one number of an IPv4 address. A
 * path of the URL is not compared. Immutable.
 */
final class AllowedUrls {

    private static final String PROPERTY = "paxoslease.http.allowed-urls";
    private static final Pattern FORM =
            Pattern.compile("(https?)://(\\[[0-9a-f:.]+]|[a-z0-9.*-]+)(?::([1-9][0-9]{0,4}))?/?");
    private static final Pattern LABEL = Pattern.compile("[a-z0-9-]*\\*?[a-z0-9-]*");
    private static final Pattern NUMBERS = Pattern.compile("(?:[0-9]{1,3}|\\*)(?:\\.(?:[0-9]{1,3}|\\*)){3}");
    private static final String PART_OF_LABEL = "[a-z0-9-]+";
    private static final String BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private record Rule(String scheme, Pattern host, boolean isName, int port) {

        boolean allows(URI url, String urlHost) {
            return scheme.equals(url.getScheme())
                    && port == portOf(url.getScheme(), url.getPort())
                    && host.matcher(urlHost).matches()
                    && !(isName && UrlTemplate.isNumber(urlHost));
        }
    }

    private final List<Rule> rules = new ArrayList<>();

    /** @throws InvalidConfigurationPropertyValueException if one is no pattern */
    AllowedUrls(List<String> patterns) {
        for (String pattern : patterns) {
            Rule rule = parse(pattern.strip());
            if (rule == null) {
                throw new InvalidConfigurationPropertyValueException(
                        PROPERTY,
                        pattern,
                        "Must be patterns such as 'https://*.app.svc:8443': 'http://' or 'https://', a host, optionally a port, and no path. A '*' stands for one or more characters of one label of the host, and the last label must have none, except in an IPv4 address or after a name of one label.");
            }
            rules.add(rule);
        }
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    /** The base URL in a note that a peer wrote, if it is allowed; null otherwise. */
    @Nullable
    URI find(String note) {
        URI url = AdvertisedUrl.in(note);
        if (url == null) {
            return null;
        }
        String host = url.getHost().toLowerCase(Locale.ROOT);
        return rules.stream().anyMatch(rule -> rule.allows(url, host)) ? url : null;
    }

    private static int portOf(String scheme, int port) {
        return port >= 0 ? port : scheme.equals("https") ? HTTPS : HTTP;
    }

    private static @Nullable Rule parse(String pattern) {
        int host = Math.max(0, pattern.indexOf("//"));
        Matcher form = FORM.matcher(
                pattern.substring(0, host) + pattern.substring(host).toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            return null;
        }
        String number = form.group(3);
        int port = portOf(form.group(1), number == null ? -1 : Integer.parseInt(number));
        String name = form.group(2);
        if (name.startsWith("[") || NUMBERS.matcher(name).matches()) {
            return new Rule(form.group(1), hostOf(name, BYTE), false, port);
        }
        return isName(name) ? new Rule(form.group(1), hostOf(name, PART_OF_LABEL), true, port) : null;
    }

    /** Whoever may register a name below a domain could be meant if the end of the name were open. */
    private static boolean isName(String name) {
        String[] labels = name.split("\\.", -1);
        String last = labels[labels.length - 1];
        for (String label : labels) {
            if (label.isEmpty() || !LABEL.matcher(label).matches()) {
                return false;
            }
        }
        boolean isOpen = last.contains("*") && (labels.length > 1 || last.startsWith("*"));
        return !isOpen && !UrlTemplate.isNumber(name);
    }

    private static Pattern hostOf(String name, String star) {
        StringBuilder host = new StringBuilder();
        for (String part : name.split("\\*", -1)) {
            host.append(host.isEmpty() ? "" : star).append(Pattern.quote(part));
        }
        return Pattern.compile(host.toString());
    }
}
