package io.paxoslease.samples.shards;

import io.paxoslease.samples.shards.instance.InstanceApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;

/** The main class: the console, or with {@code --instance=n1} one instance of the application. */
public final class ShardsLauncher {

    static final String INSTANCE_OPTION = "--instance=";

    private ShardsLauncher() {}

    /** See {@link ShardsOptions#USAGE}. Ends with 0 if each order was shipped once. */
    public static void main(String... args) throws Exception {
        if (Arrays.stream(args).anyMatch(arg -> arg.startsWith(INSTANCE_OPTION))) {
            InstanceApplication.run(args);
            return;
        }
        try {
            ShardsOptions options = ShardsOptions.parse(args);
            requireSignals();
            requireFree(options.basePort());
            System.exit(launch(options) ? 0 : 1);
        } catch (IllegalArgumentException wrong) {
            System.err.printf("%s%n%n%s%n", wrong.getMessage(), ShardsOptions.USAGE);
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
                    "This sample pauses a process with SIGSTOP, which Windows does not have: run it on Linux or macOS.");
        }
    }

    private static void requireFree(int basePort) {
        for (int port = basePort; port < basePort + Instance.MEMBERS; port++) {
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                probe.isBound();
            } catch (IOException inUse) {
                throw new IllegalArgumentException(
                        "Port %d is in use. Choose three others: --base-port=%d".formatted(port, basePort + 100));
            }
        }
    }

    private static boolean launch(ShardsOptions options) throws IOException, InterruptedException, SQLException {
        try (Database database = Database.open(options)) {
            Path directory = Files.createTempDirectory("paxoslease-shards-");
            introduce(options, database, directory);
            Screen screen = new Screen();
            Owners owners = new Owners(screen);
            Shop shop = new Shop(database);
            try (Cell cell = new Cell(options, database, directory, owners)) {
                Runtime.getRuntime().addShutdownHook(new Thread(cell::close, "shutdown"));
                new Story(cell, owners, shop, database, screen).tell(options.kills());
            }
            Audit audit = database.audit(shop.placed());
            System.out.printf("%n%s Refused by the fence: %d.%n", audit, owners.refused());
            return audit.isClean();
        }
    }

    private static void introduce(ShardsOptions options, Database database, Path directory) {
        System.out.printf(
                """
                A shop places orders in a database, each in one of %d shards. %d instances ship the orders, each those of
                its shards, while they are killed, paused and stopped. Each order should be shipped once.

                  database  %s
                  fence     %s
                  logs      %s

                """,
                Owners.SHARDS,
                options.instances(),
                database.product(),
                options.fenced() ? "yes" : "NO: late writes of a paused instance will not be refused",
                directory.resolve("n1.log") + ", n2.log, ...");
    }
}
