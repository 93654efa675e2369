package io.paxoslease.benchmarks;

import java.util.HashMap;
import java.util.Map;

/** The numbers a benchmark is run with, by name. */
record Options(Map<String, Integer> values) {

    /**
     * Reads {@code --name=value} words over the defaults.
     *
     * @throws IllegalArgumentException when a name is not among the defaults, or a value is no positive number
     */
    static Options parse(Map<String, Integer> defaults, String... args) {
        Map<String, Integer> values = new HashMap<>(defaults);
        for (String arg : args) {
            String[] parts = arg.split("=", 2);
            String name = parts[0].startsWith("--") ? parts[0].substring(2) : parts[0];
            if (!values.containsKey(name)) {
                throw new IllegalArgumentException("Unknown option " + parts[0]);
            }
            values.put(name, number(arg, parts.length < 2 ? "" : parts[1]));
        }
        return new Options(Map.copyOf(values));
    }

    private static int number(String arg, String text) {
        if (!text.matches("[1-9]\\d{0,8}")) {
            throw new IllegalArgumentException("Not a positive number: " + arg);
        }
        return Integer.parseInt(text);
    }

    int get(String name) {
        Integer value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("No option " + name);
        }
        return value;
    }
}
