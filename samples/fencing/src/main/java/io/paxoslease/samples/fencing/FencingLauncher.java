package io.paxoslease.samples.fencing;

import io.paxoslease.samples.fencing.Report.Kind;
import io.paxoslease.samples.fencing.instance.InstanceApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** The main class: the console, or with {@code --instance=n1} one instance of the application. */
public final class FencingLauncher {

    static final String INSTANCE_OPTION = "--instance=";

    private FencingLauncher() {}

    /** See {@link FencingOptions#USAGE}. Ends with 0 if the outcome is the expected one. */
    public static void main(String... args) throws Exception {
        if (Arrays.stream(args).anyMatch(arg -> arg.startsWith(INSTANCE_OPTION))) {
            InstanceApplication.run(args);
            return;
        }
        try {
            FencingOptions options = FencingOptions.parse(args);
            requireSignals();
            requireFree(options.basePort());
            System.exit(launch(options) ? 0 : 1);
        } catch (IllegalArgumentException wrong) {
            System.err.printf("%s%n%n%s%n", wrong.getMessage(), FencingOptions.USAGE);
            System.exit(2);
        } catch (SQLException unusable) {
            System.err.println("The database cannot be used: " + unusable.getMessage());
            System.exit(1);
        } catch (IllegalStateException unexpected) {
            System.err.println(unexpected.getMessage());
            System.exit(1);
        }
    }

    private static void requireSignals() {
        if (System.getProperty("os.name").startsWith("Windows")) {
            throw new IllegalArgumentException(
                    "This sample stops a process with SIGSTOP, which Windows does not have: run it on Linux or macOS.");
        }
    }

    private static void requireFree(int basePort) {
        for (int port = basePort; port < basePort + Instance.NAMES.size(); port++) {
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                probe.isBound();
            } catch (IOException inUse) {
                throw new IllegalArgumentException(
                        "Port %d is in use. Choose three others: --base-port=%d".formatted(port, basePort + 100));
            }
        }
    }

    private static boolean launch(FencingOptions options) throws IOException, InterruptedException, SQLException {
        Database database = Database.open(options);
        Path directory = Files.createTempDirectory("paxoslease-fencing-");
        introduce(options, database, directory);
        Screen screen = new Screen();
        Events events = new Events();
        List<Instance> instances = new CopyOnWriteArrayList<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> instances.forEach(Instance::kill), "shutdown"));
        Kind late;
        try {
            for (String name : Instance.NAMES) {
                Path log = directory.resolve(name + ".log");
                instances.add(new Instance(
                        name,
                        options,
                        database,
                        log,
                        event -> {
                            screen.show(event);
                            events.add(event);
                        },
                        events::ended));
            }
            late = new Story(events, screen).tell(instances);
        } finally {
            screen.silence();
            instances.forEach(Instance::kill);
            for (Instance instance : instances) {
                instance.awaitEnd();
            }
        }
        return conclude(options, late, database.invoices());
    }

    private static void introduce(FencingOptions options, Database database, Path directory) {
        System.out.printf(
                """
                The leader of three instances numbers invoices in a database, until its process is stopped
                between its check that it leads and its write. Another instance leads. Then the former leader goes on.

                  database  %s
                  fence     %s
                  logs      %s

                """,
                database.product(),
                options.fenced() ? "yes" : "NO: the former leader's late write will not be refused",
                directory.resolve("n1.log") + ", n2.log, n3.log");
    }

    /** Returns whether the content of the database is the expected one. */
    private static boolean conclude(FencingOptions options, Kind late, List<Invoice> invoices) {
        Set<Long> twice = Invoice.twice(invoices);
        Set<Long> missing = Invoice.missing(invoices);
        System.out.println("\nThe invoices in the database:\n");
        for (Invoice invoice : invoices) {
            System.out.printf(
                    "  invoice %2d  written by %s  token %d%s%n",
                    invoice.number(),
                    invoice.writtenBy(),
                    invoice.token(),
                    twice.contains(invoice.number()) ? "  TWICE" : "");
        }
        System.out.printf(
                "%nLate write %s. Invoices 1 to %d: missing %s, twice %s.%n",
                late == Kind.REJECTED ? "rejected" : "accepted", Invoice.last(invoices), list(missing), list(twice));
        return missing.isEmpty() && (late == Kind.REJECTED) == options.fenced() && twice.isEmpty() == options.fenced();
    }

    private static String list(Set<Long> numbers) {
        return numbers.isEmpty()
                ? "none"
                : numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
