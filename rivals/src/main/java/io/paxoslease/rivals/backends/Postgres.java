package io.paxoslease.rivals.backends;

import io.paxoslease.benchmarks.FreePorts;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Servers;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.core.io.ClassPathResource;

/** One PostgreSQL that does not wait for the disk, with Spring Integration's tables. */
public final class Postgres implements Backend {

    private static final String PROGRAM = "postgres";
    private static final String USER = "postgres";
    private static final String SCHEMA = "org/springframework/integration/jdbc/schema-postgresql.sql";
    private static final long START_SECONDS = 60;

    /** Where the database is. */
    public static String url(Site site) {
        return "jdbc:postgresql://%s/postgres?user=%s"
                .formatted(site.addresses().get(0), USER);
    }

    @Override
    public Optional<String> missing() {
        if (Programs.find(PROGRAM).isEmpty()) {
            return Optional.of("PostgreSQL is not installed: apt-get install postgresql");
        }
        return isRoot() && Programs.find("setpriv").isEmpty()
                ? Optional.of("PostgreSQL does not run as root, and setpriv is missing: apt-get install util-linux")
                : Optional.empty();
    }

    @Override
    public String version() {
        return Programs.version(PROGRAM);
    }

    @Override
    public Servers start(Path directory, int clients, Tuning tuning) throws IOException, InterruptedException {
        List<String> addresses = new ArrayList<>(FreePorts.forNodes("postgres").values());
        Site site = new Site(addresses, tuning, false);
        if (isRoot()) {
            Programs.output(List.of("chown", "-R", USER, directory.toString()));
        }
        String data = directory.resolve("data").toString();
        Programs.output(
                asUser(List.of(tool("initdb"), "-D", data, "-U", USER, "-A", "trust", "--no-sync", "--encoding=UTF8")));
        Child server = Child.server(
                directory.resolve("postgres.log"),
                asUser(List.of(
                        tool(PROGRAM),
                        "-D",
                        data,
                        "-p",
                        Integer.toString(site.port(0)),
                        "-h",
                        "127.0.0.1",
                        "-c",
                        "fsync=off",
                        "-c",
                        "synchronous_commit=off",
                        "-c",
                        "full_page_writes=off",
                        "-c",
                        "dynamic_shared_memory_type=mmap",
                        "-c",
                        "unix_socket_directories=" + directory)));
        createTables(site);
        return new RunningServers(addresses, List.of(server), () -> tableBytes(site));
    }

    private static void createTables(Site site) throws IOException, InterruptedException {
        String schema = new ClassPathResource(SCHEMA).getContentAsString(StandardCharsets.UTF_8);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Connection connection = DriverManager.getConnection(url(site));
                    Statement statement = connection.createStatement()) {
                statement.execute(schema);
                return;
            } catch (SQLException notYet) {
                if (System.nanoTime() - end > 0) {
                    throw new IOException("PostgreSQL does not start", notYet);
                }
                Thread.sleep(100);
            }
        }
    }

    private static long tableBytes(Site site) throws IOException {
        try (Connection connection = DriverManager.getConnection(url(site));
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM int_lock");
            try (ResultSet size = statement.executeQuery("SELECT pg_total_relation_size('int_lock')")) {
                size.next();
                return size.getLong(1);
            }
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    private static String tool(String name) {
        return Programs.find(name).orElseThrow();
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private static List<String> asUser(List<String> command) {
        if (!isRoot()) {
            return command;
        }
        List<String> wrapped =
                new ArrayList<>(List.of(tool("setpriv"), "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
        wrapped.addAll(command);
        return wrapped;
    }
}
