package io.paxoslease.clusters;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of this machine that can be paused, killed and started again. It does not wait for the disk, but what it has
 * committed is written, and outlives a kill: a store that forgets makes two holders.
 */
final class PostgresServer implements AutoCloseable {

    private static final String ANY_CONNECTION_BUT_THIS =
            "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'";

    private final EmbeddedPostgres first;
    private final Path directory;
    private final Path data;
    private final List<String> command;

    /** @param directory empty; for its data and its log */
    PostgresServer(Path directory) throws IOException {
        this.directory = directory;
        this.data = directory.resolve("data");
        this.first = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setServerConfig("fsync", "off")
                .setServerConfig("synchronous_commit", "on")
                .start();
        this.command = command(postmaster().orElseThrow());
    }

    private static List<String> command(ProcessHandle postmaster) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("unshare", "-U")); // it refuses to run as root
        }
        command.add(postmaster.info().command().orElseThrow());
        command.addAll(List.of(postmaster.info().arguments().orElseThrow()));
        return command;
    }

    /** The first process; empty: it has been killed. */
    private Optional<ProcessHandle> postmaster() {
        try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            return ProcessHandle.of(
                    Long.parseLong(lines.findFirst().orElseThrow().strip()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<ProcessHandle> processes() {
        return postmaster().stream()
                .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()))
                .toList();
    }

    int port() {
        return first.getPort();
    }

    /** SIGSTOP to all its processes. */
    void pause() {
        Signals.send("STOP", processes());
    }

    void unpause() {
        Signals.send("CONT", processes());
    }

    /** SIGKILL to all its processes. */
    void kill() {
        List<ProcessHandle> processes = processes();
        Signals.send("KILL", processes);
        Wait.until("PostgreSQL is dead", () -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** After a {@link #kill}: recovers, and returns when it answers. */
    void restart() {
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("postgres.log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Wait.until("PostgreSQL answers, see " + directory.resolve("postgres.log"), this::answers);
    }

    private boolean answers() {
        try (Connection connection = connect()) {
            return connection.isValid(1);
        } catch (SQLException notYet) {
            return false;
        }
    }

    /** Ends all connections, as an administrator does. */
    void terminateConnections() {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(ANY_CONNECTION_BUT_THIS);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot end the connections", e);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(first.getJdbcUrl("postgres", "postgres"));
    }

    @Override
    public String toString() {
        return "PostgreSQL";
    }

    @Override
    public void close() throws IOException {
        unpause();
        first.close();
    }
}
