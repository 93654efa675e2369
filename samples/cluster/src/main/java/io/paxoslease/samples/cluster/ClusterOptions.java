package io.paxoslease.samples.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * What the launcher's command line asks for.
 *
 * @param basePort the first of three ports, on which the instances talk to each other
 * @param httpPort the first of three ports, on which they answer HTTP
 * @param locked whether the counter is guarded by the lock
 */
record ClusterOptions(int basePort, int httpPort, boolean locked) {

    static final String USAGE = """
            java -jar cluster.jar [--base-port=7401] [--http-port=8081] [--without-lock]
              --base-port     the first of three ports on which the instances talk to each other
              --http-port     the first of three ports on which they answer HTTP
              --without-lock  count without the lock: shows that lost updates are noticed""";

    private static final int BASE_PORT = 7401;
    private static final int HTTP_PORT = 8081;
    private static final int LAST_PORT = 65_535;

    /**
     * Both {@code --name=value} and {@code --name value} are understood.
     *
     * @throws IllegalArgumentException saying what is wrong
     */
    static ClusterOptions parse(String... args) {
        ClusterOptions options = new ClusterOptions(BASE_PORT, HTTP_PORT, true);
        Deque<String> words = new ArrayDeque<>();
        for (String arg : args) {
            words.addAll(List.of(arg.split("=", 2)));
        }
        while (!words.isEmpty()) {
            String word = words.remove();
            options = switch (word) {
                case "--base-port" -> new ClusterOptions(port(word, words), options.httpPort, options.locked);
                case "--http-port" -> new ClusterOptions(options.basePort, port(word, words), options.locked);
                case "--without-lock" -> new ClusterOptions(options.basePort, options.httpPort, false);
                default -> throw new IllegalArgumentException("Unknown option " + word);
            };
        }
        if (Math.abs(options.basePort - options.httpPort) < Member.COUNT) {
            throw new IllegalArgumentException("The ports %d and %d are too close: each begins a range of %d"
                    .formatted(options.basePort, options.httpPort, Member.COUNT));
        }
        return options;
    }

    private static int port(String option, Deque<String> words) {
        String value = words.isEmpty() ? "" : words.remove();
        try {
            int port = Integer.parseInt(value);
            if (port > 0 && port + Member.COUNT - 1 <= LAST_PORT) {
                return port;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, like a number that is no port.
        }
        throw new IllegalArgumentException("%s needs a port number, not '%s'".formatted(option, value));
    }
}
