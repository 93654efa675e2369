package io.paxoslease.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.stream.Stream;
import org.h2.tools.Server;

/** A database and a directory of this machine, for as long as this process lives. */
final class LocalStores implements AutoCloseable {

    private final Server server;
    private final Path directory;

    /** Starts an H2 server on loopback, with a database in memory, and makes a temporary directory. */
    LocalStores() throws SQLException, IOException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        directory = Files.createTempDirectory("paxoslease-leases");
    }

    MeetingPlace place() {
        String url = "jdbc:h2:tcp://127.0.0.1:%d/mem:leases;DB_CLOSE_DELAY=-1".formatted(server.getPort());
        return new MeetingPlace(url, directory.toString());
    }

    @Override
    public void close() throws IOException {
        server.stop();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(LocalStores::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
