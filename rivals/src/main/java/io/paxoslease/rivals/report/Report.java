package io.paxoslease.rivals.report;

import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.contenders.Contenders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Puts results into the page, between marks, and draws its pictures. */
public final class Report {

    private static final String PAGE = "performance.md";
    private static final String PICTURES = "performance";

    private Report() {}

    /**
     * Replaces the parts of {@code performance.md} whose results there are, and writes {@code performance/*.svg}.
     *
     * @throws IllegalArgumentException when there are no results, no page, or a page without the marks
     */
    public static void write(Path results, Path docs) throws IOException {
        Path page = docs.resolve(PAGE);
        if (!Files.exists(page) || !Files.isDirectory(results)) {
            throw new IllegalArgumentException(
                    "%s and %s are needed: run the workloads first, from the top directory, or say --results and --docs"
                            .formatted(page, results));
        }
        String text = Files.readString(page);
        for (Workload workload : Workload.values()) {
            Path file = results.resolve(workload.word() + ".csv");
            if (Files.exists(file)) {
                Samples samples = Samples.read(file);
                text = replaced(text, workload.word(), section(results, docs, workload, samples));
            }
        }
        text = replaced(text, "contenders", contenders(results));
        Files.writeString(page, text);
        System.out.println("Wrote " + page);
    }

    /** The text with everything between the two marks of that name replaced. */
    static String replaced(String text, String name, String part) {
        String begin = "<!-- results: %s -->".formatted(name);
        String end = "<!-- end: %s -->".formatted(name);
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("The page has no lines %s and %s".formatted(begin, end));
        }
        return text.substring(0, from + begin.length()) + "\n" + part + text.substring(to);
    }

    private static String section(Path results, Path docs, Workload workload, Samples samples) throws IOException {
        StringBuilder text = new StringBuilder();
        List<Column> drawn = drawn(workload);
        for (int i = 0; i < drawn.size(); i++) {
            String name = drawn.size() == 1 ? workload.word() : workload.word() + "-" + (i + 1);
            Path picture = docs.resolve(PICTURES).resolve(name + ".svg");
            Files.createDirectories(docs.resolve(PICTURES));
            Files.writeString(picture, chart(workload, drawn.get(i), samples).svg());
            text.append("![%s: %s](%s/%s.svg)%n%n"
                    .formatted(workload.title(), drawn.get(i).title(), PICTURES, name));
        }
        String environment = Files.readString(Environment.file(results, workload));
        return text.append(Tables.markdown(workload, samples))
                .append("\n```\n")
                .append(environment)
                .append("```\n")
                .toString();
    }

    /** A bar for each contender. */
    static Chart chart(Workload workload, Column column, Samples samples) {
        List<Chart.Bar> bars = Contenders.all().stream()
                .filter(each -> samples.contenders().contains(each.name()))
                .map(each -> new Chart.Bar(each.title(), column.value().apply(samples, each.name()), style(each)))
                .toList();
        return new Chart(workload.title(), column.title() + ", logarithmic scale", bars);
    }

    /** The columns that say most. */
    static List<Column> drawn(Workload workload) {
        List<Column> columns = Tables.columns(workload);
        return switch (workload) {
            case FAIL_OVER -> columns;
            case CONTENDED -> columns.subList(0, 2);
            case SESSIONS -> List.of(columns.get(1), columns.get(4));
            case IDLE -> List.of(Column.sum("client and servers, CPU ms/s", "client-ms-per-s", "servers-ms-per-s"));
            default -> columns.subList(0, 1);
        };
    }

    private static String style(Contender contender) {
        return contender.title().startsWith("(")
                ? "bound"
                : contender.title().startsWith("PaxosLease") ? "ours" : "other";
    }

    private static String contenders(Path results) throws IOException {
        return Files.readAllLines(Environment.contenders(results)).stream()
                .skip(1)
                .map(Csv::values)
                .map(line -> "| %s | `%s` | %s |%n".formatted(line.get(1), line.get(0), line.get(2)))
                .collect(Collectors.joining("", "| | `--only=` | versions and settings |\n|---|---|---|\n", ""));
    }
}
