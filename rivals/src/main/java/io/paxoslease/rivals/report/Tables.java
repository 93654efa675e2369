package io.paxoslease.rivals.report;

import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.contenders.Contenders;
import java.util.List;
import java.util.stream.Collectors;

/** The Markdown table of each workload. */
public final class Tables {

    private Tables() {}

    static List<Column> columns(Workload workload) {
        return switch (workload) {
            case UNCONTENDED ->
                List.of(
                        Column.median("p50, us", "p50-us"),
                        Column.median("p99, us", "p99-us"),
                        new Column(
                                "p50 in TCP round trips",
                                (samples, contender) -> samples.medianRatio(contender, Contenders.FLOOR, "p50-us"),
                                2));
            case OWN_KEYS ->
                List.of(Column.median("pairs/s", "pairs-per-s"), Column.median("Jain, threads", "jain-threads"));
            case CONTENDED ->
                List.of(
                        Column.median("hand-overs/s", "handovers-per-s"),
                        Column.median("gap p50, us", "gap-p50-us"),
                        Column.median("gap p99, us", "gap-p99-us"),
                        Column.median("locks/s", "locks-per-s"),
                        Column.median("longest wait, ms", "longest-wait-ms"),
                        Column.median("Jain, instances", "jain-instances"),
                        Column.median("Jain, threads", "jain-threads"));
            case FAIL_OVER ->
                List.of(
                        Column.median("kill -9, default, ms", "kill-default-ms"),
                        Column.median("kill -9, tuned, ms", "kill-tuned-ms"),
                        Column.median("released, ms", "released-ms"));
            case IDLE ->
                List.of(
                        Column.median("client, CPU ms/s", "client-ms-per-s"),
                        Column.median("servers, CPU ms/s", "servers-ms-per-s"));
            case SESSIONS ->
                List.of(
                        Column.median("sessions", "sessions"),
                        Column.median("idle: servers, us/s", "idle-servers-us-per-s"),
                        Column.median("idle: client, us/s", "idle-client-us-per-s"),
                        Column.median("idle: servers, bytes", "idle-servers-bytes"),
                        Column.median("a lock each: servers, us/s", "holding-servers-us-per-s"),
                        Column.median("a lock each: client, us/s", "holding-client-us-per-s"),
                        Column.median("a lock each: servers, bytes", "holding-servers-bytes"),
                        Column.median("opened in, s", "seconds"));
            case MEMORY ->
                List.of(
                        Column.median("client, bytes", "client-bytes"),
                        Column.median("servers, bytes together", "servers-bytes"),
                        Column.median("filled in, s", "seconds"));
        };
    }

    /** The table, one contender a line; those without a figure are left out. */
    public static String markdown(Workload workload, Samples samples) {
        List<Column> columns = columns(workload);
        StringBuilder text = new StringBuilder("| |");
        columns.forEach(column -> text.append(' ').append(column.title()).append(" |"));
        text.append("\n|---|").append("---:|".repeat(columns.size())).append('\n');
        for (Contender contender : Contenders.all()) {
            if (samples.contenders().contains(contender.name())) {
                text.append("| ").append(contender.title()).append(" |");
                columns.forEach(column -> text.append(' ')
                        .append(column.cell(samples, contender.name()))
                        .append(" |"));
                text.append('\n');
            }
        }
        if (workload == Workload.CONTENDED) {
            text.append(overlaps(samples));
        }
        return text.toString();
    }

    private static String overlaps(Samples samples) {
        String broken = Contenders.all().stream()
                .map(Contender::name)
                .filter(name -> samples.all(name, "overlaps").stream().anyMatch(count -> count > 0))
                .collect(Collectors.joining(", "));
        return broken.isEmpty() ? "" : "\nTwo threads were inside at once: %s.\n".formatted(broken);
    }
}
