package io.paxoslease.samples.cluster;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The options of the launcher's command line.
 *
 * @param basePort the first of five ports, on which the instances connect to each other
 * @param httpPort the first of the ports, one for each instance, on which they answer HTTP
 * @param pagePort the port of the page
 * @param locked whether the counter is guarded by the lock
 * @param algorithm how the instances agree
 * @param clients how many instances there are beside the three that vote
 */
record ClusterOptions(int basePort, int httpPort, int pagePort, boolean locked, Algorithm algorithm, int clients) {

    static final String USAGE = """
            java -jar cluster.jar [--base-port=7401] [--http-port=8081] [--page-port=8084] [--without-lock]
                             [--algorithm=paxoslease] [--clients=0]
              --base-port     the first of five ports on which the instances connect to each other
              --http-port     the first of the ports on which they answer HTTP, one for each instance
              --page-port     the port of the page; if not given, the one after the HTTP ports
              --without-lock  count without the lock: shows that lost updates are detected
              --algorithm     paxoslease, flease, or storage: a directory that holds the leases
              --clients       up to 20 instances more, which lead and lock but do not vote""";

    private static final String BASE = "--base-port";
    private static final String HTTP = "--http-port";
    private static final String PAGE = "--page-port";
    private static final String ALGORITHM = "--algorithm";
    private static final String CLIENTS = "--clients";
    private static final int MOST_CLIENTS = 20;
    private static final int FURTHER = Node.MOST_MEMBERS - Node.MEMBERS;
    private static final int BASE_PORT = 7401;
    private static final int HTTP_PORT = 8081;
    private static final int LAST_PORT = 65_535;

    /**
     * Both {@code --name=value} and {@code --name value} are understood.
     *
     * @throws IllegalArgumentException saying what is wrong
     */
    static ClusterOptions parse(String... args) {
        Deque<String> words = new ArrayDeque<>();
        for (String arg : args) {
            words.addAll(List.of(arg.split("=", 2)));
        }
        Map<String, Integer> ports = new HashMap<>();
        boolean locked = true;
        Algorithm algorithm = Algorithm.PAXOSLEASE;
        int clients = 0;
        while (!words.isEmpty()) {
            String word = words.remove();
            switch (word) {
                case BASE -> ports.put(word, port(word, words, Node.MOST_MEMBERS));
                case HTTP -> ports.put(word, port(word, words, Node.MEMBERS));
                case PAGE -> ports.put(word, port(word, words, 1));
                case "--without-lock" -> locked = false;
                case ALGORITHM -> algorithm = algorithm(words);
                case CLIENTS -> clients = clients(words);
                default -> throw new IllegalArgumentException("Unknown option " + word);
            }
        }
        int http = ports.getOrDefault(HTTP, HTTP_PORT);
        return new ClusterOptions(
                        ports.getOrDefault(BASE, BASE_PORT),
                        http,
                        ports.getOrDefault(PAGE, http + Node.MEMBERS + clients),
                        locked,
                        algorithm,
                        clients)
                .checked();
    }

    private static Algorithm algorithm(Deque<String> words) {
        String name = words.isEmpty() ? "" : words.remove();
        return Arrays.stream(Algorithm.values())
                .filter(each -> each.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "%s is paxoslease, flease or storage, not '%s'".formatted(ALGORITHM, name)));
    }

    private static int clients(Deque<String> words) {
        String count = words.isEmpty() ? "" : words.remove();
        if (!count.matches("\\d{1,2}") || Integer.parseInt(count) > MOST_CLIENTS) {
            throw new IllegalArgumentException(
                    "%s is a number up to %d, not '%s'".formatted(CLIENTS, MOST_CLIENTS, count));
        }
        return Integer.parseInt(count);
    }

    /** The first HTTP port of the members that a change can add: after the other instances' and the page's. */
    int furtherHttpPort() {
        return httpPort + Node.MEMBERS + clients + 1;
    }

    /** Where the page is; nothing else may use the instances' endpoints from a browser. */
    String pageOrigin() {
        return "http://" + Node.HOST + ":" + pagePort;
    }

    private ClusterOptions checked() {
        int instances = Node.MEMBERS + clients;
        int range = furtherHttpPort() + FURTHER - httpPort;
        if (basePort < httpPort + range && httpPort < basePort + Node.MOST_MEMBERS) {
            throw new IllegalArgumentException("The ports %d and %d are too close: they begin ranges of %d and %d"
                    .formatted(basePort, httpPort, Node.MOST_MEMBERS, range));
        }
        if (clients > 0 && algorithm != Algorithm.PAXOSLEASE) {
            throw new IllegalArgumentException(
                    "%s goes with %s=paxoslease only: the others know no clients".formatted(CLIENTS, ALGORITHM));
        }
        if (pagePort > LAST_PORT
                || isInRange(pagePort, basePort, Node.MOST_MEMBERS)
                || isInRange(pagePort, httpPort, instances)
                || isInRange(pagePort, furtherHttpPort(), FURTHER)) {
            throw new IllegalArgumentException(
                    "The page cannot have port %d: choose another with %s".formatted(pagePort, PAGE));
        }
        if (httpPort + range - 1 > LAST_PORT) {
            throw new IllegalArgumentException(
                    "%s needs a port number up to %d, not '%d'".formatted(HTTP, LAST_PORT - range + 1, httpPort));
        }
        return this;
    }

    private static boolean isInRange(int port, int first, int count) {
        return port >= first && port < first + count;
    }

    /** @param count how many neighbouring ports are needed */
    private static int port(String option, Deque<String> words, int count) {
        String value = words.isEmpty() ? "" : words.remove();
        try {
            int port = Integer.parseInt(value);
            if (port > 0 && port + count - 1 <= LAST_PORT) {
                return port;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, like a number that is no port.
        }
        throw new IllegalArgumentException("%s needs a port number, not '%s'".formatted(option, value));
    }
}
