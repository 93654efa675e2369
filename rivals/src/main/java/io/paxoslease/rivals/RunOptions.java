package io.paxoslease.rivals;

import io.paxoslease.rivals.contenders.Contenders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the command line asks for. */
public record RunOptions(Map<String, Integer> numbers, List<String> only, Path results, Path docs) {

    /** The numbers, and what they are when nothing is said. */
    static final Map<String, Integer> DEFAULTS = Map.ofEntries(
            Map.entry("rounds", 3),
            Map.entry("warm-up-s", 3),
            Map.entry("measure-s", 4),
            Map.entry("runs", 3),
            Map.entry("graceful-runs", 5),
            Map.entry("held", 10_000),
            Map.entry("idle-s", 20),
            Map.entry("idle-warm-up-s", 45),
            Map.entry("locks", 100_000),
            Map.entry("sessions", 2_000),
            Map.entry("sessions-warm-up-s", 20),
            Map.entry("heap-mb", 1_024));

    public RunOptions {
        numbers = Map.copyOf(numbers);
        only = List.copyOf(only);
    }

    /**
     * Reads {@code --name=value} words over the defaults.
     *
     * @throws IllegalArgumentException when a name or a value is none
     */
    public static RunOptions parse(String... args) {
        Map<String, Integer> numbers = new HashMap<>(DEFAULTS);
        List<String> only = new ArrayList<>();
        Path results = Path.of("rivals", "target", "results");
        Path docs = Path.of("docs");
        for (String arg : args) {
            String[] parts = arg.split("=", 2);
            String name = parts[0].startsWith("--") ? parts[0].substring(2) : parts[0];
            String value = parts.length < 2 ? "" : parts[1];
            if (name.equals("only")) {
                only.addAll(Arrays.asList(value.split(",", -1)));
            } else if (name.equals("results")) {
                results = Path.of(value);
            } else if (name.equals("docs")) {
                docs = Path.of(value);
            } else if (numbers.containsKey(name)) {
                numbers.put(name, number(arg, value));
            } else {
                throw new IllegalArgumentException("Unknown option " + parts[0]);
            }
        }
        only.forEach(Contenders::of);
        return new RunOptions(numbers, only, results, docs);
    }

    private static int number(String arg, String text) {
        if (!text.matches("[1-9]\\d{0,8}")) {
            throw new IllegalArgumentException("%s: a positive number is needed".formatted(arg));
        }
        return Integer.parseInt(text);
    }

    /** One of the numbers. */
    public int get(String name) {
        Integer value = numbers.get(name);
        if (value == null) {
            throw new IllegalArgumentException("There is no option " + name);
        }
        return value;
    }

    /** Whether that contender is asked for; the floor is never left out. */
    public boolean wants(String contender) {
        return only.isEmpty() || only.contains(contender) || contender.equals(Contenders.FLOOR);
    }
}
