package io.paxoslease.rivals.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Lines of comma-separated values. */
public final class Csv {

    private Csv() {}

    /** One line; values with commas or quotes are quoted, and line breaks become blanks. */
    public static String line(Object... values) {
        return Arrays.stream(values).map(Csv::quoted).collect(Collectors.joining(","));
    }

    private static String quoted(Object value) {
        String text = String.valueOf(value).replaceAll("\\R", " ");
        return text.contains(",") || text.contains("\"") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    /** The values of one line. */
    public static List<String> values(String line) {
        List<String> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                value.append(c);
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                values.add(value.toString());
                value.setLength(0);
            } else {
                value.append(c);
            }
        }
        values.add(value.toString());
        return values;
    }
}
