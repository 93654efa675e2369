package io.paxoslease.jdbc.internal;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.jdbc.TableException;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What a table of this library must be like: there, with these columns, writable, and in a database that orders writes. Immutable.
 *
 * @param table its name, which becomes part of statements
 * @param keys the columns that are never updated
 * @param values the other ones
 * @param create the statement that creates it, on one line, in words that every database knows
 */
public record TableCheck(String table, List<String> keys, List<String> values, String create) {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String NEVER = " where 1 = 0";
    private static final Pattern IN_MEMORY = Pattern.compile("jdbc:(h2:mem|hsqldb:mem|derby:memory):.*");
    private static final Pattern GALERA = Pattern.compile("galera|wsrep|xtradb cluster");
    private static final Pattern OF_MYSQL = Pattern.compile("mysql|mariadb|percona");
    private static final String GALERA_VARIABLES = "show global variables like 'wsrep_%'";

    /**
     * The statement of a script, for a table of another name.
     *
     * @param beside the class whose package has the script
     * @param usual the table's name in the script
     */
    public static String statement(Class<?> beside, String script, String usual, String table) {
        try (InputStream in = beside.getResourceAsStream(script)) {
            if (in == null) {
                throw new IllegalStateException(script + " is missing in the jar beside " + beside.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replaceAll("(?m)^--.*\\R", "")
                    .replace("if not exists ", "")
                    .replace(usual, table)
                    .replace(";", "")
                    .replaceAll("\\s+", " ")
                    .replace("( ", "(")
                    .replace(" )", ")")
                    .strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Takes as long as a connection takes, and then at most some 10 s for each statement.
     *
     * @throws TableException if the table cannot be used
     * @throws IOException if the database cannot be reached
     */
    public void run(DataSource dataSource, SchemaInitialization initialize) throws IOException {
        new JdbcSession(dataSource, PATIENCE).check(this, initialize);
    }

    /** @param seconds limit for each statement; 0 for none */
    void run(Connection connection, SchemaInitialization initialize, int seconds) throws IOException, SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        Access access = new Access(connection, seconds, "table " + table + " of " + product);
        access.refuseUncommittedReads();
        access.refuseGalera(product);
        access.checkTable(
                switch (initialize) {
                    case NEVER -> false;
                    case ALWAYS -> true;
                    case EMBEDDED ->
                        IN_MEMORY
                                .matcher(String.valueOf(connection.getMetaData().getURL()))
                                .matches();
                });
    }

    private String columns() {
        return Stream.concat(keys.stream(), values.stream()).collect(Collectors.joining(", "));
    }

    /** Fails when the table is not there, or is another one. */
    private String readProbe() {
        return "select " + columns() + " from " + table + NEVER;
    }

    /** Changes nothing, and fails where an update would. */
    private String updateProbe() {
        return values.stream()
                .map(column -> column + " = " + column)
                .collect(Collectors.joining(", ", "update " + table + " set ", NEVER));
    }

    /** Inserts nothing, and fails where an insert would. */
    private String insertProbe() {
        return "insert into " + table + " (" + columns() + ") " + readProbe();
    }

    /** One connection to the database with the table. */
    private final class Access {

        private final Connection connection;
        private final int seconds;
        private final String described;

        private Access(Connection connection, int seconds, String described) {
            this.connection = connection;
            this.seconds = seconds;
            this.described = described;
        }

        private void refuseUncommittedReads() throws SQLException, TableException {
            if (connection.getTransactionIsolation() < Connection.TRANSACTION_READ_COMMITTED) {
                throw new TableException(
                        "Connections for the %s read what is not committed".formatted(described),
                        "Set the data source's transaction isolation to 'read committed'.",
                        null);
            }
        }

        /** In such a cluster two servers can both commit an update of one row, without either having seen the other's. */
        private void refuseGalera(String product) throws SQLException, TableException {
            String about =
                    (product + " " + connection.getMetaData().getDatabaseProductVersion()).toLowerCase(Locale.ROOT);
            if (GALERA.matcher(about).find() || (OF_MYSQL.matcher(about).find() && replicatesByGalera())) {
                throw new TableException(
                        "The %s is in a Galera cluster, where updates of one row can be lost while all nodes are healthy"
                                .formatted(described),
                        "Keep the table in a database with one primary.",
                        null);
            }
        }

        private boolean replicatesByGalera() {
            boolean on = false;
            boolean provided = false;
            try (Statement statement = statement();
                    ResultSet variables = statement.executeQuery(GALERA_VARIABLES)) {
                while (variables.next()) {
                    String value = String.valueOf(variables.getString(2)).strip();
                    switch (variables.getString(1).toLowerCase(Locale.ROOT)) {
                        case "wsrep_on" -> on = value.equalsIgnoreCase("on") || value.equals("1");
                        case "wsrep_provider" -> provided = !value.isEmpty() && !value.equalsIgnoreCase("none");
                        default -> {}
                    }
                }
            } catch (SQLException notMySql) {
                return false;
            }
            return on && provided;
        }

        private void checkTable(boolean initialize) throws TableException {
            SQLException unread = failure(readProbe());
            if (unread != null) {
                refuseOtherColumns(unread);
            }
            if (unread != null && initialize) {
                SQLException uncreated = failure(create);
                unread = failure(readProbe());
                if (unread != null && uncreated != null) {
                    throw new TableException(
                            "Cannot create the %s: %s".formatted(described, text(uncreated)),
                            "Let its owner run: " + create,
                            uncreated);
                }
            }
            if (unread != null) {
                throw new TableException(
                        "Cannot read the %s: %s".formatted(described, text(unread)),
                        "If it does not exist, let it be created ('paxoslease.jdbc.initialize-schema=always'), or run: "
                                + create,
                        unread);
            }
            checkWrites();
        }

        private void refuseOtherColumns(SQLException unread) throws TableException {
            List<String> found = new ArrayList<>();
            try (Statement statement = statement();
                    ResultSet none = statement.executeQuery("select * from " + table + NEVER)) {
                ResultSetMetaData about = none.getMetaData();
                for (int i = 1; i <= about.getColumnCount(); i++) {
                    found.add(about.getColumnName(i).toLowerCase(Locale.ROOT));
                }
            } catch (SQLException notThere) {
                return;
            }
            List<String> missing = Stream.concat(keys.stream(), values.stream())
                    .filter(column -> !found.contains(column))
                    .toList();
            if (!missing.isEmpty()) {
                throw new TableException(
                        "The %s is another one: it has the columns %s, and not %s"
                                .formatted(described, Printable.name(found), missing),
                        "Give it the missing columns, or choose another name for the table of this statement: "
                                + create,
                        unread);
            }
        }

        private void checkWrites() throws TableException {
            for (String probe : new String[] {updateProbe(), insertProbe()}) {
                SQLException unwritten = failure(probe);
                if (unwritten != null) {
                    throw new TableException(
                            "Cannot write to the %s: %s".formatted(described, text(unwritten)),
                            "Grant select, insert, update and delete, and use a data source of the primary that is not"
                                    + " read-only.",
                            unwritten);
                }
            }
        }

        private @Nullable SQLException failure(String sql) {
            try (Statement statement = statement()) {
                statement.execute(sql);
                return null;
            } catch (SQLException e) {
                return e;
            }
        }

        private Statement statement() throws SQLException {
            Statement statement = connection.createStatement();
            if (seconds > 0) {
                try {
                    statement.setQueryTimeout(seconds);
                } catch (SQLException e) {
                    statement.close();
                    throw e;
                }
            }
            return statement;
        }
    }

    /** Drivers write on several lines. */
    private static String text(SQLException failure) {
        return Printable.text(String.valueOf(failure.getMessage()).strip().replaceAll("\\s+", " "));
    }
}
