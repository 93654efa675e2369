package io.paxoslease.clusters;

import io.paxoslease.clusters.witness.ProcessApplication;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** How an instance is started that is a process with as little of Spring as starts fast. */
final class ProcessCommand {

    private static final String FIRST = "first";

    private static final JavaCommand JAVA = JavaCommand.archived(
            "process", "64m", ProcessApplication.class.getName(), "Started ProcessApplication", ofTheFirst());

    private ProcessCommand() {}

    /** @param options the application's properties, as {@code --name=value} */
    static List<String> with(List<String> options) {
        return JAVA.with(options);
    }

    /** The same with more jars. */
    static List<String> with(List<String> options, List<Path> jars) {
        return JAVA.with(options, jars);
    }

    /** One of two members; the other one never starts. */
    private static List<String> ofTheFirst() {
        try {
            Path witness = Files.createDirectories(Path.of("target", "first-process"));
            List<String> options = new ArrayList<>(List.of(
                    "--witness.directory=" + witness,
                    "--paxoslease.node-id=" + FIRST,
                    "--paxoslease.lease-time=" + ProcessCell.LEASE.toMillis() + "ms"));
            UnaryOperator<String> address = member -> "127.0.0.1:" + ProcessCell.freePort();
            options.addAll(
                    Listing.of(List.of(FIRST, "second"), ProcessCell.LEASE).options(address));
            return options;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
