package io.paxoslease.samples.shards;

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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The database that the instances share: the one that was asked for, or an H2 in this process, served on a port. This process has one connection
 * to it. Thread-safe.
 */
final class Database implements AutoCloseable {

    private static final String USER = "sa";

    private final ShardsOptions options;
    private final String product;
    private final SingleConnectionDataSource dataSource;
    private final JdbcTemplate jdbc;

    /** An order that was placed. */
    record Placed(long id, int shard, String customer, String item) {}

    private Database(ShardsOptions options) throws SQLException {
        this.options = options;
        dataSource = new SingleConnectionDataSource(options.url(), options.user(), options.password(), true);
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData about = connection.getMetaData();
            product = about.getDatabaseProductName() + " " + about.getDatabaseProductVersion();
        }
        // The fence's table as the library brings it, and the sample's own.
        new ResourceDatabasePopulator(
                        new ClassPathResource("schema.sql", JdbcFence.class), new ClassPathResource("orders.sql"))
                .execute(dataSource);
        jdbc = new JdbcTemplate(dataSource);
    }

    /** Makes the tables, without orders and shipments. */
    static Database open(ShardsOptions options) throws SQLException {
        return new Database(options.url().isEmpty() ? withOwnServer(options) : options);
    }

    private static ShardsOptions withOwnServer(ShardsOptions options) throws SQLException {
        String memory = "mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        String password = UUID.randomUUID().toString();
        DriverManager.getConnection("jdbc:h2:" + memory, USER, password).close();
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
        return options.with("jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + memory, USER, password);
    }

    /** What tells an instance how to connect; in the environment, where other users do not see the password. */
    Map<String, String> environment() {
        return Map.of(
                "SPRING_DATASOURCE_URL", options.url(),
                "SPRING_DATASOURCE_USERNAME", options.user(),
                "SPRING_DATASOURCE_PASSWORD", options.password());
    }

    /** Name and version. */
    String product() {
        return product;
    }

    synchronized void place(List<Placed> orders) {
        jdbc.batchUpdate(
                "insert into shards_sample_orders (id, shard, customer, item) values (?, ?, ?, ?)",
                orders.stream()
                        .map(order -> new Object[] {order.id(), order.shard(), order.customer(), order.item()})
                        .toList());
    }

    /** How many orders say that they were not shipped. */
    synchronized long due() {
        Long due =
                jdbc.queryForObject("select count(*) from shards_sample_orders where shipped_by is null", Long.class);
        return due == null ? 0 : due;
    }

    /** Compares the shipments with the orders 1 to that number. */
    synchronized Audit audit(long orders) {
        return Audit.of(orders, jdbc.queryForList("select order_id from shards_sample_shipments", Long.class));
    }

    @Override
    public void close() {
        dataSource.destroy();
    }
}
