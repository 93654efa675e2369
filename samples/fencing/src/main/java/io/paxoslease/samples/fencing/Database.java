package io.paxoslease.samples.fencing;

import io.paxoslease.spring.fencing.JdbcFence;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.tools.Server;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** The database that the instances share: the one that was asked for, or an H2 in this process, served on a port. */
final class Database {

    private static final String MEMORY = "mem:invoices;DB_CLOSE_DELAY=-1";
    private static final String USER = "sa";

    private final FencingOptions options;
    private final String product;
    private final JdbcClient jdbc;

    private Database(FencingOptions options) throws SQLException {
        this.options = options;
        var dataSource = new DriverManagerDataSource(options.url(), options.username(), options.password());
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData about = connection.getMetaData();
            product = about.getDatabaseProductName() + " " + about.getDatabaseProductVersion();
        }
        // The fence's table as the library brings it, and the sample's own.
        new ResourceDatabasePopulator(
                        new ClassPathResource("schema.sql", JdbcFence.class), new ClassPathResource("invoices.sql"))
                .execute(dataSource);
        jdbc = JdbcClient.create(dataSource);
    }

    /** Makes the tables, the invoices' one empty. */
    static Database open(FencingOptions options) throws SQLException {
        return new Database(options.url().isEmpty() ? withOwnServer(options) : options);
    }

    private static FencingOptions withOwnServer(FencingOptions options) throws SQLException {
        String password = UUID.randomUUID().toString();
        DriverManager.getConnection("jdbc:h2:" + MEMORY, USER, password).close();
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
        String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + MEMORY;
        return new FencingOptions(options.fenced(), options.basePort(), url, USER, password);
    }

    /** What tells an instance how to connect; in the environment, where other users do not see the password. */
    Map<String, String> environment() {
        return Map.of(
                "SPRING_DATASOURCE_URL", options.url(),
                "SPRING_DATASOURCE_USERNAME", options.username(),
                "SPRING_DATASOURCE_PASSWORD", options.password());
    }

    /** Name and version. */
    String product() {
        return product;
    }

    /** In the order of their numbers. */
    List<Invoice> invoices() {
        return jdbc.sql("select number, written_by, token from fencing_sample_invoices order by number, token")
                .query((row, i) -> new Invoice(row.getLong(1), row.getString(2), row.getLong(3)))
                .list();
    }
}
