package io.paxoslease.clusters;

import com.zaxxer.hikari.HikariDataSource;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.h2.tools.Server;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.transaction.autoconfigure.TransactionProperties;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/** A database server in a container of its own, from the same image: H2, which keeps its tables in memory. */
final class Database {

    private static final String NAME = "store";
    private static final int PORT = 9092;
    private static final String JAR = "/h2.jar";

    private Database() {}

    static Machine on(Network network) {
        GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(Docker.IMAGE))
                .withNetwork(network)
                .withNetworkAliases(NAME)
                .withCopyFileToContainer(MountableFile.forHostPath(jarOf(Server.class)), JAR)
                .withCommand(
                        "java",
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        JAR,
                        Server.class.getName(),
                        "-tcp",
                        "-tcpAllowOthers",
                        "-tcpPort",
                        Integer.toString(PORT),
                        "-ifNotExists")
                .withLabels(Docker.labels())
                .waitingFor(Wait.forLogMessage("TCP server running.*\n", 1));
        return new Machine(NAME, container, network.getId());
    }

    /** The same for instances that meet in its table: by a pool that Spring Boot makes, which the sample does not have. */
    static Setup usedBy(Setup setup) {
        return setup.with(
                        "--paxoslease.jdbc.initialize-schema=always",
                        "--spring.datasource.url=jdbc:h2:tcp://%s:%d/mem:leases;DB_CLOSE_DELAY=-1"
                                .formatted(NAME, PORT))
                .withJars(jars(Server.class));
    }

    /** With a driver, what a pool is made of that Spring Boot makes. */
    static List<Path> jars(Class<?> driver) {
        return Stream.of(
                        driver,
                        HikariDataSource.class,
                        JdbcTemplate.class,
                        PlatformTransactionManager.class,
                        DataSourceBuilder.class,
                        DatabaseInitializationMode.class,
                        TransactionProperties.class)
                .map(Database::jarOf)
                .toList();
    }

    private static Path jarOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("no jar of " + type, e);
        }
    }
}
