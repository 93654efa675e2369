package io.paxoslease.clusters;

import io.paxoslease.clusters.StorageCell.Instance;
import io.paxoslease.clusters.StorageChaos.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.Driver;

/**
 * Instances that meet in a table of PostgreSQL, while the server is paused, killed and loses its connections, and they are paused,
 * killed, stopped and cut off. With compare-and-set nothing rests on the access bound, so leases are exclusive whatever happens.
 */
@Tag("cluster")
@RequiresPostgres
@Timeout(value = 8, unit = TimeUnit.MINUTES)
@Isolated("it judges how soon one leads again")
class DatabaseChaosIT {

    private static final Duration LEASE = Duration.ofSeconds(3);
    /** Longer than a lease, so that others lead in the meantime. */
    private static final Duration LONGEST = Duration.ofSeconds(5);
    /** One lease that is over, one that is new, and a pool that connects again. */
    private static final Duration RECOVERY = Duration.ofSeconds(20);

    private static final Kind<PostgresServer> PAUSE =
            new Kind<>("pause", LONGEST, PostgresServer::pause, PostgresServer::unpause);
    private static final Kind<PostgresServer> KILL =
            new Kind<>("kill", Duration.ofSeconds(2), PostgresServer::kill, PostgresServer::restart);
    private static final Kind<PostgresServer> NO_CONNECTIONS = new Kind<>(
            "loss of connections",
            Duration.ofMillis(100),
            PostgresServer::terminateConnections,
            PostgresServer::terminateConnections);

    private static final int FAULTS = Depth.of(6, 12);

    /** Of each instance to the server. */
    private final Map<String, TcpRelay> relays = new HashMap<>();

    private final Kind<Instance> cut =
            new Kind<>("cut", LONGEST, each -> relay(each.name()).cut(), each -> relay(each.name())
                    .mend());
    private final Kind<Instance> late =
            new Kind<>("lateness", LONGEST, each -> relay(each.name()).hold(), each -> relay(each.name())
                    .mend());

    @AfterEach
    void closeRelays() {
        relays.values().forEach(TcpRelay::close);
    }

    private TcpRelay relay(String name) {
        return Objects.requireNonNull(relays.get(name));
    }

    @Test
    void leasesAreExclusiveWhateverHappensToTheDatabaseAndToInstances(
            @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws IOException {
        try (PostgresServer server = new PostgresServer(directory.resolve("postgres"));
                StorageCell cell = cellOver(server, directory).start()) {
            StorageChaos chaos = new StorageChaos(
                    cell,
                    FAULTS,
                    List.of(StorageChaos.KILL, StorageChaos.STOP, StorageChaos.pause(LONGEST), cut, late));
            chaos.happen(List.of(PAUSE, KILL, NO_CONNECTIONS), List.of(server));

            StorageVerdict.after(chaos, cell).assertExclusive().assertBusy().assertNextLeaderWithin(RECOVERY);
        }
    }

    private StorageCell cellOver(PostgresServer server, Path directory) {
        return new StorageCell(directory, 3, LEASE, Database.jars(Driver.class), name -> {
            TcpRelay relay = relays.computeIfAbsent(name, each -> new TcpRelay(server.port()));
            return List.of(
                    "--spring.main.sources=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                    "--spring.datasource.url=jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres"
                            .formatted(relay.port()),
                    "--paxoslease.jdbc.initialize-schema=always",
                    "--witness.names=16");
        });
    }
}
