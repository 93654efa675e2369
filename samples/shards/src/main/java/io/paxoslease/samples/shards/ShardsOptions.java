package io.paxoslease.samples.shards;

import java.util.Map;
import java.util.TreeMap;

/**
 * The options of the launcher's command line.
 *
 * @param kills how often an instance is killed
 * @param instances how many there are
 * @param fenced whether the instances use the fence
 * @param basePort the first of three ports, on which the instances connect to each other
 * @param url the database; empty for an H2 of the launcher's own
 * @param user its user
 * @param password its user's password
 */
record ShardsOptions(int kills, int instances, boolean fenced, int basePort, String url, String user, String password) {

    static final String USAGE = """
            java -jar shards.jar [--kills=5] [--instances=3] [--fenced=true] [--base-port=7431]
                                 [--db.url=... --db.username=... --db.password=...]
              --kills      how often an instance is killed; after each kill, one is paused or stopped
              --instances  3 to 9; the first three are members, the others clients
              --fenced     false: without the fence, to see what it prevents
              --base-port  the first of three ports on which the instances connect to each other
              --db.url     for instance jdbc:postgresql://localhost/test; by default an H2 of the sample's own""";

    private static final int MOST_KILLS = 10_000;
    private static final int LAST_PORT = 65_535;

    /**
     * Understands {@code --name=value}.
     *
     * @throws IllegalArgumentException saying what is wrong
     */
    static ShardsOptions parse(String... args) {
        Map<String, String> values = new TreeMap<>(Map.of(
                "--kills", "5",
                "--instances", "3",
                "--fenced", "true",
                "--base-port", "7431",
                "--db.url", "",
                "--db.username", "",
                "--db.password", ""));
        for (String arg : args) {
            String[] words = arg.split("=", 2);
            if (words.length < 2) {
                throw new IllegalArgumentException("%s needs a value: %s=...".formatted(arg, arg));
            }
            if (values.replace(words[0], words[1]) == null) {
                throw new IllegalArgumentException("Unknown option " + words[0]);
            }
        }
        return new ShardsOptions(
                number("--kills", values, 0, MOST_KILLS),
                number("--instances", values, Instance.MEMBERS, Instance.MOST),
                flag("--fenced", values),
                number("--base-port", values, 1, LAST_PORT - Instance.MEMBERS + 1),
                values.getOrDefault("--db.url", ""),
                values.getOrDefault("--db.username", ""),
                values.getOrDefault("--db.password", ""));
    }

    /** The same with that database. */
    ShardsOptions with(String otherUrl, String otherUser, String otherPassword) {
        return new ShardsOptions(kills, instances, fenced, basePort, otherUrl, otherUser, otherPassword);
    }

    private static boolean flag(String name, Map<String, String> values) {
        String value = values.getOrDefault(name, "");
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("%s is true or false, not '%s'".formatted(name, value));
        };
    }

    private static int number(String name, Map<String, String> values, int least, int most) {
        String value = values.getOrDefault(name, "");
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, like a number that is too large.
        }
        throw new IllegalArgumentException(
                "%s is a number from %d to %d, not '%s'".formatted(name, least, most, value));
    }
}
