package io.paxoslease.spring.fencing;

import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The database of the tests, with the fence's table and one in which transactions write their tokens. H2, unless the system
 * properties {@code fence.url}, {@code fence.username} and {@code fence.password} name another one, in which both tables are
 * dropped and created.
 */
final class FenceDatabase {

    static final String OTHER_TABLE = "fence_other";

    private static final String URL =
            System.getProperty("fence.url", "jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");

    private final DataSource dataSource = new DriverManagerDataSource(
            URL, System.getProperty("fence.username", "sa"), System.getProperty("fence.password", ""));
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);

    FenceDatabase() {
        for (String table : List.of(JdbcFence.DEFAULT_TABLE, OTHER_TABLE, "fence_written")) {
            jdbc.execute("drop table if exists " + table);
        }
        runSchema();
        jdbc.execute("create table " + OTHER_TABLE + " (resource varchar(255) primary key, token bigint not null)");
        jdbc.execute("create table fence_written (position bigint not null, token bigint not null)");
    }

    void runSchema() {
        new ResourceDatabasePopulator(new ClassPathResource("schema.sql", JdbcFence.class)).execute(dataSource);
    }

    DataSource dataSource() {
        return dataSource;
    }

    TransactionTemplate transactions() {
        return new TransactionTemplate(new JdbcTransactionManager(dataSource));
    }

    void insert(String resource, long token) {
        jdbc.update("insert into " + JdbcFence.DEFAULT_TABLE + " (resource, token) values (?, ?)", resource, token);
    }

    /** Writes the token after those that this transaction sees. */
    void write(long token) {
        jdbc.update("insert into fence_written select count(*), ? from fence_written", token);
    }

    /** The tokens in the order of their positions. */
    List<Long> written() {
        return jdbc.queryForList("select token from fence_written order by position", Long.class);
    }

    /** The latest tokens in that table, by resource. */
    List<String> latest(String table) {
        return jdbc.query(
                "select resource, token from " + table + " order by resource",
                (row, i) -> row.getString(1) + " " + row.getLong(2));
    }

    /** How many transactions are waiting for another one. */
    int waiting() {
        String query =
                switch (URL.split(":", 3)[1]) {
                    // H2 knows no blocker of an insert that waits for another one to commit.
                    case "h2" ->
                        "information_schema.sessions where blocker_id is not null"
                                + " or executing_statement like 'insert into paxoslease_fence %'";
                    case "postgresql" -> "pg_stat_activity where wait_event_type = 'Lock'";
                    default -> "information_schema.innodb_trx where trx_state = 'LOCK WAIT'";
                };
        return Objects.requireNonNull(jdbc.queryForObject("select count(*) from " + query, Integer.class));
    }
}
