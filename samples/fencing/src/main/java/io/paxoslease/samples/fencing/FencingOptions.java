package io.paxoslease.samples.fencing;

import java.util.Map;
import java.util.TreeMap;

/**
 * The options of the launcher's command line.
 *
 * @param fenced whether the instances use the fence
 * @param basePort the first of three ports, on which the instances connect to each other
 * @param url the database; empty for an H2 of the launcher's own
 * @param username its user
 * @param password its user's password
 */
record FencingOptions(boolean fenced, int basePort, String url, String username, String password) {

    static final String USAGE = """
            java -jar fencing.jar [--fenced=true] [--base-port=7411] [--db.url=... --db.username=... --db.password=...]
              --fenced     false: without the fence, to see what it prevents
              --base-port  the first of three ports on which the instances connect to each other
              --db.url     for instance jdbc:postgresql://localhost/test; by default an H2 of the sample's own""";

    private static final int LAST_PORT = 65_535;

    /**
     * Understands {@code --name=value}.
     *
     * @throws IllegalArgumentException saying what is wrong
     */
    static FencingOptions parse(String... args) {
        Map<String, String> values = new TreeMap<>(Map.of(
                "--fenced", "true", "--base-port", "7411", "--db.url", "", "--db.username", "", "--db.password", ""));
        for (String arg : args) {
            String[] words = arg.split("=", 2);
            if (words.length < 2) {
                throw new IllegalArgumentException("%s needs a value: %s=...".formatted(arg, arg));
            }
            if (values.replace(words[0], words[1]) == null) {
                throw new IllegalArgumentException("Unknown option " + words[0]);
            }
        }
        return new FencingOptions(
                flag(values.getOrDefault("--fenced", "")),
                port(values.getOrDefault("--base-port", "")),
                values.getOrDefault("--db.url", ""),
                values.getOrDefault("--db.username", ""),
                values.getOrDefault("--db.password", ""));
    }

    private static boolean flag(String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("--fenced is true or false, not '%s'".formatted(value));
        };
    }

    private static int port(String value) {
        try {
            int port = Integer.parseInt(value);
            if (port > 0 && port + Instance.NAMES.size() - 1 <= LAST_PORT) {
                return port;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, like a number that is no port.
        }
        throw new IllegalArgumentException("--base-port needs a port number, not '%s'".formatted(value));
    }
}
