package io.paxoslease;

import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Membership} as text, for stores: one entry in a line, {@code key=value}, named as the properties of an application are. Blank
 * lines and lines that begin with {@code #} mean nothing. The last line is {@code end}, so that a text that was cut off is no text of
 * fewer members. All characters are ASCII: others are escaped as {@code \}{@code uXXXX}.
 *
 * <pre>{@code
 * format=1
 * cell=shop
 * generation=2
 * peers.a=10.0.0.1:7400
 * peers.b=10.0.0.2:7400
 * max-lease-time=5s
 * clock-drift=0.1
 * previous-peers.a=10.0.0.1:7400
 * previous-max-lease-time=5s
 * previous-clock-drift=0.1
 * previous-sealed=true
 * sealed=true
 * end
 * }</pre>
 *
 * The entries {@code sealed} and {@code previous-sealed} are left out unless they are true, and of a generation that follows none.
 */
public final class MembershipText {

    private static final String HEADER =
            "# Members of a PaxosLease cell, as its nodes have stored them. Change them by a node, not here.\n";
    private static final String FORMAT = "1";
    private static final String END = "end";
    private static final String PREVIOUS = "previous-";
    private static final String PEERS = "peers.";
    private static final String SEALED = "sealed";
    private static final Pattern TIME = Pattern.compile("(\\d{1,18})(ns|us|ms|s)");
    private static final Pattern DRIFT = Pattern.compile("\\d{1,20}(\\.\\d{1,20})?(E-\\d{1,3})?");
    private static final Pattern GENERATION = Pattern.compile("[1-9]\\d{0,9}");
    private static final Pattern ESCAPED = Pattern.compile("\\\\u([0-9a-fA-F]{4})|\\\\");
    private static final String PLAIN = "[A-Za-z0-9._~!$&'()*+,;:@%/\\[\\]-]";

    private MembershipText() {}

    /**
     * The text of a membership. The same membership always has the same text.
     *
     * @param cell the name of its cell
     */
    public static String format(String cell, Membership membership) {
        StringBuilder text = new StringBuilder(HEADER);
        line(text, "format", FORMAT);
        line(text, "cell", escape(cell));
        line(text, "generation", String.valueOf(membership.generation().number()));
        add(text, "", membership.peers(), membership.maxLeaseTime(), membership.clockDrift());
        GenerationOptions.Previous previous = membership.generation().previous();
        if (previous != null) {
            add(text, PREVIOUS, previous.peers(), previous.maxLeaseTime(), previous.clockDrift());
            if (membership.previousSealed()) {
                line(text, PREVIOUS + SEALED, "true");
            }
            if (membership.sealed()) {
                line(text, SEALED, "true");
            }
        }
        return text.append(END).append('\n').toString();
    }

    private static void add(
            StringBuilder text, String prefix, Map<String, InetSocketAddress> peers, Duration longest, double drift) {
        new TreeMap<>(peers).forEach((id, address) -> line(text, prefix + PEERS + escape(id), address(address)));
        line(text, prefix + "max-lease-time", time(longest));
        line(text, prefix + "clock-drift", String.valueOf(drift));
    }

    private static void line(StringBuilder text, String key, String value) {
        text.append(key).append('=').append(value).append('\n');
    }

    private static String address(InetSocketAddress address) {
        String host = address.getHostString();
        return escape(host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    private static String time(Duration time) {
        long nanos = time.toNanos();
        for (TimeUnit unit : new TimeUnit[] {TimeUnit.SECONDS, TimeUnit.MILLISECONDS, TimeUnit.MICROSECONDS}) {
            long whole = unit.convert(nanos, TimeUnit.NANOSECONDS);
            if (unit.toNanos(whole) == nanos) {
                return whole + (unit == TimeUnit.SECONDS ? "s" : unit == TimeUnit.MILLISECONDS ? "ms" : "us");
            }
        }
        return nanos + "ns";
    }

    private static String escape(String name) {
        StringBuilder escaped = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            String one = name.substring(i, i + 1);
            escaped.append(one.matches(PLAIN) ? one : "\\u%04x".formatted((int) name.charAt(i)));
        }
        return escaped.toString();
    }

    /**
     * Reads a membership from its text.
     *
     * @param cell the name of the cell that it must be of
     * @throws IOException when it is not, saying what is wrong with which line
     */
    public static Membership parse(String cell, String text) throws IOException {
        return new Parser(entries(text)).membership(cell);
    }

    /** The text may be of any file, named by mistake: messages do not repeat its content before it is known to be a membership. */
    private static Map<String, String> entries(String text) throws IOException {
        Map<String, String> entries = new LinkedHashMap<>();
        boolean isOver = false;
        int number = 0;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (isOver) {
                throw new IOException("line %d follows the line 'end'".formatted(number));
            }
            int equals = line.indexOf('=');
            if (equals > 0) {
                if (entries.putIfAbsent(line.substring(0, equals), line.substring(equals + 1)) != null) {
                    throw new IOException("line %d repeats the key of an earlier line".formatted(number));
                }
            } else if (line.strip().equals(END)) {
                isOver = true;
            } else {
                throw new IOException("line %d is not of the form key=value".formatted(number));
            }
        }
        if (!isOver) {
            throw new IOException("it is cut off: the last line, 'end', is missing");
        }
        return entries;
    }

    /** Takes the entries one by one, and knows which are left. */
    private static final class Parser {

        private final Map<String, String> entries;

        private Parser(Map<String, String> entries) {
            this.entries = entries;
        }

        private Membership membership(String cell) throws IOException {
            String format = take("format");
            if (!format.equals(FORMAT)) {
                throw new IOException(
                        "it has another format than %s, the only one that this version of the library reads: update this node, or name the text that its nodes have stored"
                                .formatted(FORMAT));
            }
            String stored = unescape(take("cell"));
            if (!stored.equals(cell)) {
                throw new IOException("it is of the cell '%s' and not of '%s': give each cell a store of its own"
                        .formatted(Printable.name(stored), Printable.name(cell)));
            }
            String generation = take("generation");
            if (!GENERATION.matcher(generation).matches()) {
                throw invalid("generation", generation, "must be a number from 1 on");
            }
            try {
                return membership(Long.parseLong(generation));
            } catch (InvalidOptionException e) {
                throw new IOException(e.getMessage(), e);
            }
        }

        private Membership membership(long generation) throws IOException {
            Map<String, InetSocketAddress> peers = peers("");
            Duration longest = time("max-lease-time");
            if (longest.compareTo(PaxosLeaseOptions.MIN_LEASE_TIME) < 0) {
                throw invalid("max-lease-time", longest.toString(), "is shorter than any cell can have");
            }
            double drift = drift("clock-drift");
            boolean isPreviousSealed = isTrue(PREVIOUS + SEALED);
            GenerationOptions.Previous previous = null;
            if (entries.keySet().stream().anyMatch(key -> key.startsWith(PREVIOUS))) {
                previous = new GenerationOptions.Previous(
                        peers(PREVIOUS), time(PREVIOUS + "max-lease-time"), drift(PREVIOUS + "clock-drift"));
            }
            boolean isSealed = isTrue(SEALED);
            if (!entries.isEmpty()) {
                throw new IOException("it has an unknown entry, '%s': it may have been written by a newer version"
                        .formatted(Printable.text(entries.keySet().iterator().next())));
            }
            GenerationOptions options = new GenerationOptions((int) Math.min(generation, Integer.MAX_VALUE), previous);
            Membership membership = new Membership(options, peers, longest, drift, isSealed, isPreviousSealed);
            OptionChecks.checkMembers(membership.peers(), options);
            return membership;
        }

        private String take(String key) throws IOException {
            String value = entries.remove(key);
            if (value == null) {
                throw new IOException("the entry '%s' is missing".formatted(Printable.name(key)));
            }
            return value;
        }

        private Map<String, InetSocketAddress> peers(String prefix) throws IOException {
            Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
            Set<String> keys = new LinkedHashSet<>(entries.keySet());
            for (String key : keys) {
                if (key.startsWith(prefix + PEERS)) {
                    String id = unescape(key.substring((prefix + PEERS).length()));
                    String address = unescape(take(key));
                    if (peers.put(id, PeerAddress.parse(prefix + "peers", id, address)) != null) {
                        throw new IOException("it lists '%s' twice in %speers".formatted(Printable.name(id), prefix));
                    }
                }
            }
            return peers;
        }

        private Duration time(String key) throws IOException {
            String value = take(key);
            Matcher matcher = TIME.matcher(value);
            if (!matcher.matches()) {
                throw invalid(key, value, "must be a time such as 5s or 1500ms");
            }
            long number = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "s" -> Duration.ofSeconds(number);
                case "ms" -> Duration.ofMillis(number);
                case "us" -> Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(number));
                default -> Duration.ofNanos(number);
            };
        }

        private boolean isTrue(String key) throws IOException {
            String value = entries.remove(key);
            if (value != null && !value.equals("true")) {
                throw invalid(key, value, "must be true, or left out");
            }
            return value != null;
        }

        private double drift(String key) throws IOException {
            String value = take(key);
            if (!DRIFT.matcher(value).matches()) {
                throw invalid(key, value, "must be a number such as 0.1");
            }
            return Double.parseDouble(value);
        }

        private static IOException invalid(String key, String value, String why) {
            return new IOException(
                    "the entry '%s', '%s', %s".formatted(Printable.name(key), Printable.text(value), why));
        }

        private static String unescape(@Nullable String text) throws IOException {
            Matcher matcher = ESCAPED.matcher(text == null ? "" : text);
            StringBuilder plain = new StringBuilder();
            while (matcher.find()) {
                if (matcher.group(1) == null) {
                    throw new IOException(
                            "'%s' has a backslash that begins no \\uXXXX".formatted(Printable.text(text)));
                }
                matcher.appendReplacement(
                        plain, Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(matcher.group(1), 16))));
            }
            return matcher.appendTail(plain).toString();
        }
    }
}
