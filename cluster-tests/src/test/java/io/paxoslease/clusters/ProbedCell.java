package io.paxoslease.clusters;

import io.paxoslease.clusters.SupervisedProcess.End;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Whole applications in processes of this machine, the sample with its web server and its actuator, each with a witness: for what an
 * orchestrator does that knows nothing of them but a probe.
 */
final class ProbedCell implements AutoCloseable {

    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final String WITNESS = "witness";
    private static final HttpClient http =
            HttpClient.newBuilder().connectTimeout(ANSWER).build();

    private final Path directory;
    private final Path witness;
    private final String probe;
    private final Map<String, List<String>> commands = new LinkedHashMap<>();
    private final Map<String, Integer> httpPorts = new LinkedHashMap<>();
    private final Map<String, SupervisedProcess> processes = new LinkedHashMap<>();

    /**
     * None is started yet.
     *
     * @param probe what the orchestrator asks, below {@code /actuator/}
     * @param common options of all instances
     */
    ProbedCell(Path directory, List<String> members, List<String> clients, String probe, List<String> common) {
        this.directory = directory;
        this.probe = probe;
        try {
            this.witness = Files.createDirectory(directory.resolve(WITNESS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> addresses = new LinkedHashMap<>();
        members.forEach(each -> addresses.put(each, "127.0.0.1:" + ProcessCell.freePort()));
        for (String member : members) {
            List<String> options = new ArrayList<>(common);
            addresses.forEach((name, address) -> options.add("--paxoslease.peers.%s=%s".formatted(name, address)));
            if (!clients.isEmpty()) {
                options.add("--paxoslease.roles.billing.eligible=false");
            }
            add(member, options);
        }
        for (String client : clients) {
            List<String> options = new ArrayList<>(common);
            options.add("--paxoslease.mode=client");
            options.add("--paxoslease.contact-points=" + String.join(",", addresses.values()));
            add(client, options);
        }
    }

    private void add(String name, List<String> options) {
        int port = ProcessCell.freePort();
        List<String> arguments = arguments(name, port, directory);
        arguments.addAll(options);
        commands.put(name, Java.COMMAND.with(arguments));
        httpPorts.put(name, port);
        processes.put(name, new SupervisedProcess(directory.resolve(name + ".log")));
    }

    private static List<String> arguments(String name, int port, Path directory) {
        return new ArrayList<>(List.of(
                "--spring.config.name=none", // the sample's own file has the sample's times
                "--instance=" + name,
                "--paxoslease.node-id=" + name,
                "--witness.directory=" + directory.resolve(WITNESS),
                "--sample.counter-file=" + directory.resolve("counter"),
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--spring.task.scheduling.pool.size=4"));
    }

    /** Starts an instance that does not run, and waits until its probe succeeds. */
    void start(String name) {
        // A list of its own: the supervisor tells a process that ended by itself from one that was ended by it.
        process(name).start(new ArrayList<>(Objects.requireNonNull(commands.get(name))));
        Wait.until("the probe of %s succeeds, see %s".formatted(name, directory), () -> isUp(name));
    }

    /** Stops it in good order, starts it again, and waits until its probe succeeds: no longer. */
    void restart(String name) {
        process(name).end(End.STOP);
        start(name);
    }

    private boolean isUp(String name) throws InterruptedException {
        URI uri = URI.create("http://127.0.0.1:%d/actuator/%s".formatted(httpPorts.get(name), probe));
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(ANSWER).build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private SupervisedProcess process(String name) {
        return Objects.requireNonNull(processes.get(name), name);
    }

    /** Waits until one leads by a lease that was granted or renewed from now on, and names it. */
    String awaitLeader() {
        long begin = System.nanoTime();
        Wait.until("one leads, see " + directory, () -> history().leading().stream()
                .anyMatch(each -> each.to() > begin));
        List<Tenure> leading = history().leading();
        return leading.get(leading.size() - 1).node();
    }

    History history() {
        return History.of(ProcessCell.read(witness));
    }

    Traffic traffic() {
        return Traffic.of(ProcessCell.read(witness));
    }

    @Override
    public void close() {
        processes.values().forEach(SupervisedProcess::kill);
        processes.values().forEach(each -> each.end(End.KILL));
    }

    /** Apart, because it is made when the first cell is. */
    private static final class Java {

        static final JavaCommand COMMAND = command();

        private static JavaCommand command() {
            try {
                Path directory = Files.createDirectories(Path.of("target", "first-probed"));
                Files.createDirectories(directory.resolve(WITNESS));
                List<String> arguments = arguments("first", ProcessCell.freePort(), directory);
                for (String each : List.of("first", "second")) {
                    arguments.add("--paxoslease.peers.%s=127.0.0.1:%d".formatted(each, ProcessCell.freePort()));
                }
                return JavaCommand.archived("probed", "128m", Application.MAIN_CLASS, "@cluster ready", arguments);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
