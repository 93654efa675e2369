package io.paxoslease.exploration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A bad schedule on file: its first part is what is replayed, its second, indented, the story that it makes of the mutant.
 *
 * @param violation what breaks
 * @param schedule one action a line
 * @param story what happens, one thing a line
 */
record Witness(String violation, List<String> schedule, List<String> story) {

    private static final String INDENT = "    ";

    static Path file(Mutant mutant) {
        return Path.of(System.getProperty("basedir", "."))
                .resolve("src/test/resources/witnesses")
                .resolve(mutant.id + ".txt");
    }

    /** @param lines as {@link Hunt} answers */
    static Witness of(List<String> lines) {
        int blank = lines.indexOf("");
        return new Witness(lines.get(1), lines.subList(2, blank), lines.subList(blank + 1, lines.size()));
    }

    static Witness read(Mutant mutant) throws IOException {
        List<String> schedule = new ArrayList<>();
        List<String> story = new ArrayList<>();
        String violation = "";
        for (String line : Files.readAllLines(file(mutant))) {
            if (line.startsWith("# Violation: ")) {
                violation = line.substring("# Violation: ".length());
            } else if (line.startsWith(INDENT)) {
                story.add(line.substring(INDENT.length()));
            } else if (!line.startsWith("#") && !line.isBlank()) {
                schedule.add(line);
            }
        }
        return new Witness(violation, schedule, story);
    }

    void write(Mutant mutant) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("# Row " + mutant.id + ": " + mutant.title);
        lines.add("# Violation: " + violation);
        lines.add("");
        lines.addAll(schedule);
        lines.add("");
        lines.add("# What the mutant makes of it (time, what happens):");
        lines.add("");
        story.forEach(line -> lines.add(INDENT + line));
        Files.createDirectories(file(mutant).getParent());
        Files.write(file(mutant), lines);
    }
}
