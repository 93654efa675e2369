package io.paxoslease.jdbc.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whether what a database has committed is still there after its crash, as far as the database can be asked. */
public final class Durability {

    private static final Pattern OF_MYSQL = Pattern.compile("mysql|mariadb|percona");

    private static final String OF_POSTGRES = """
            select current_setting('synchronous_commit', true), current_setting('fsync', true), \
            (select relpersistence from pg_class where oid = '%s'::regclass)""";

    /** MariaDB's 3 flushes as 1 does. */
    private static final Set<String> FLUSHED = Set.of("1", "3");

    private static final String MYSQL_VARIABLES =
            "show global variables where variable_name in ('innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog')";

    private static final String H2_SETTINGS = "select * from information_schema.settings";

    /**
     * What may be lost.
     *
     * @param reason how the database is set up
     * @param action what to change
     */
    public record Loss(String reason, String action) {}

    private Durability() {}

    /**
     * What may be lost; empty if commits last, and if the database does not tell.
     *
     * @param seconds limit for the query; 0 for none
     */
    static List<Loss> losses(Connection connection, String table, int seconds) throws SQLException {
        String product = String.valueOf(connection.getMetaData().getDatabaseProductName())
                .toLowerCase(Locale.ROOT);
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(seconds);
            if (product.equals("postgresql")) {
                return ofPostgres(statement, table);
            } else if (OF_MYSQL.matcher(product).find()) {
                return ofMySql(statement);
            } else if (product.equals("h2")) {
                return ofH2(statement);
            }
            return List.of();
        } catch (SQLException notKnown) { // by an older one, or by a relative
            return List.of();
        }
    }

    private static List<Loss> ofPostgres(Statement statement, String table) throws SQLException {
        try (ResultSet row = statement.executeQuery(OF_POSTGRES.formatted(table))) {
            return row.next()
                    ? present(
                            loss(
                                    "off".equals(row.getString(1)),
                                    "synchronous_commit is off",
                                    "Set it to 'on' for the user of this data source: alter role ... set synchronous_commit = on."),
                            loss("off".equals(row.getString(2)), "fsync is off", "Set fsync = on for the server."),
                            loss(
                                    "u".equals(row.getString(3)),
                                    "the table is unlogged, so a crash empties it",
                                    "Run: alter table " + table + " set logged."))
                    : List.of();
        }
    }

    private static List<Loss> ofMySql(Statement statement) throws SQLException {
        Map<String, String> variables = pairs(statement, MYSQL_VARIABLES);
        String flush = variables.getOrDefault("innodb_flush_log_at_trx_commit", "1");
        boolean logs = variables.getOrDefault("log_bin", "off").equals("on");
        String sync = variables.getOrDefault("sync_binlog", "1");
        return present(
                loss(
                        !FLUSHED.contains(flush),
                        "innodb_flush_log_at_trx_commit is " + flush,
                        "Set innodb_flush_log_at_trx_commit = 1 for the server."),
                loss(
                        logs && !sync.equals("1"),
                        "sync_binlog is " + sync + " and the binary log is on",
                        "Set sync_binlog = 1 for the server."));
    }

    private static List<Loss> ofH2(Statement statement) throws SQLException {
        String delay = pairs(statement, H2_SETTINGS).getOrDefault("write_delay", "0");
        return present(loss(
                !delay.equals("0"),
                "its WRITE_DELAY is " + delay + " ms, for which commits are in the memory of one process only",
                "Add ';WRITE_DELAY=0' to the URL of the data source, on every client."));
    }

    private static Map<String, String> pairs(Statement statement, String query) throws SQLException {
        Map<String, String> pairs = new HashMap<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                pairs.put(
                        rows.getString(1).toLowerCase(Locale.ROOT),
                        String.valueOf(rows.getString(2)).strip().toLowerCase(Locale.ROOT));
            }
        }
        return pairs;
    }

    private static @Nullable Loss loss(boolean isLost, String reason, String action) {
        return isLost ? new Loss(reason, action) : null;
    }

    private static List<Loss> present(@Nullable Loss... losses) {
        return Stream.of(losses).filter(loss -> loss != null).toList();
    }
}
