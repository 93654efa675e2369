package io.paxoslease.samples.cluster;

import io.paxoslease.samples.cluster.instance.InstanceApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.BindException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The main class: the console, or with {@code --instance=n1} one instance of the application. */
public final class ClusterLauncher {

    static final String INSTANCE_OPTION = "--instance=";

    private static final int COUNTER_SECONDS = 5;
    private static final String COMMANDS = """
              stop   end the leader gracefully (SIGTERM)    start   start instances that are down
              kill   kill the leader (SIGKILL)              status  the state of each instance
              pause, resume, partition, heal   as on the page: partition n2
              members n1 n2 n4 n5   change the members, by a rolling restart; up to five, n1 to n5
              quit   end all instances
            """;

    private ClusterLauncher() {}

    /** See {@link ClusterOptions#USAGE}. */
    public static void main(String... args) throws IOException, InterruptedException {
        if (Arrays.stream(args).anyMatch(arg -> arg.startsWith(INSTANCE_OPTION))) {
            InstanceApplication.run(args);
            return;
        }
        try {
            launch(ClusterOptions.parse(args));
        } catch (IllegalArgumentException wrong) {
            System.err.printf("%s%n%n%s%n", wrong.getMessage(), ClusterOptions.USAGE);
            System.exit(2);
        } catch (BindException inUse) {
            System.err.println(inUse.getMessage());
            System.exit(1);
        }
    }

    private static void launch(ClusterOptions options) throws IOException, InterruptedException {
        List<Node> nodes = Node.all(options);
        List<Node> first = nodes.stream()
                .filter(each -> !each.isMember() || Members.first().now().contains(each.name()))
                .toList();
        List<String> inUse =
                first.stream().map(Node::portInUse).filter(Objects::nonNull).toList();
        if (!inUse.isEmpty()) {
            System.err.println(inUse.get(0));
            System.exit(1);
        }
        Screen screen = Screen.onStandardOutput();
        Path directory = Files.createTempDirectory("paxoslease-cluster-");
        Journal journal = new Journal();
        Narrator narrator = new Narrator(screen, journal);
        try (Network network = new Network(nodes, options.algorithm())) {
            ExtractedApplication application =
                    ExtractedApplication.begin(System.getProperty("java.class.path"), directory.resolve("application"));
            InstanceCommand command = new InstanceCommand(application, nodes, network, options, directory);
            Cluster cluster = new Cluster(nodes, network, command::of, directory, narrator);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(cluster, application), "shutdown"));
            try (PageServer page = PageServer.start(options, new CellControl(cluster, journal))) {
                introduce(screen, page, first, options, directory);
                run(cluster, narrator, screen);
            }
        }
        screen.print("All instances are down.");
    }

    private static void run(Cluster cluster, Narrator narrator, Screen screen)
            throws IOException, InterruptedException {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        clock.scheduleAtFixedRate(narrator::showCounter, COUNTER_SECONDS, COUNTER_SECONDS, TimeUnit.SECONDS);
        try {
            cluster.start();
            obeyAll(new CommandLine(cluster, narrator, screen, COMMANDS));
        } finally {
            clock.shutdownNow();
            cluster.shutDown();
        }
    }

    /** Returns when the user has had enough. */
    private static void obeyAll(CommandLine commands) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        String line = input.readLine();
        while (line != null && commands.obey(line)) {
            line = input.readLine();
        }
    }

    private static void end(Cluster cluster, ExtractedApplication application) {
        try {
            cluster.shutDown();
            application.delete();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void introduce(
            Screen screen, PageServer page, List<Node> nodes, ClusterOptions options, Path directory) {
        screen.print("Open %s to see the cell, and to cut off, pause or end an instance.".formatted(page.url()));
        screen.print("");
        screen.print("Three instances of one Spring Boot application elect a leader and share a lock,");
        screen.print(meeting(options.algorithm()));
        if (options.clients() > 0) {
            screen.print("Clients (c1 ...) take part in both, but do not vote.");
        }
        screen.print("");
        nodes.forEach(each -> screen.print("  %s  %s".formatted(each.name(), each.url())));
        screen.print("  logs: %s, n2.log, n3.log".formatted(directory.resolve("n1.log")));
        screen.print("");
        screen.print(COMMANDS);
        if (!options.locked()) {
            screen.print("The counter is NOT guarded by the lock: updates will be lost.");
        }
        screen.print(start(options.algorithm()));
        screen.print("");
    }

    static String meeting(Algorithm algorithm) {
        return switch (algorithm) {
            case PAXOSLEASE -> "without a database, ZooKeeper or Redis.";
            case FLEASE -> "by Flease, without a database, ZooKeeper or Redis.";
            case STORAGE -> "through a directory, without connections to each other.";
        };
    }

    /** How long a start takes with the lease time of the sample, 2 s. */
    static String start(Algorithm algorithm) {
        return switch (algorithm) {
            case PAXOSLEASE ->
                "An instance that starts does not vote for 2.4 s (1.22 x max-lease-time): the first leader comes after that.";
            case FLEASE ->
                "An instance that starts does not vote for 3.1 s (1.22 x (max-lease-time + clock-bound)): the first leader comes after that.";
            case STORAGE -> "An instance that starts takes part at once.";
        };
    }
}
