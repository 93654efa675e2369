package io.paxoslease.store;

import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections that commit every statement by itself, and go back to their pool as they came. Thread-safe. */
final class JdbcSession {

    /** What is done with a connection. */
    interface Work<T> {
        T on(Connection connection) throws SQLException, IOException;
    }

    private static final int MILLIS = 1_000;

    private final DataSource dataSource;
    private final @Nullable Duration bound;
    private volatile boolean limitsNetwork = true;
    private volatile String product = "";

    /** @param bound null: statements take as long as they take */
    JdbcSession(DataSource dataSource, @Nullable Duration bound) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.bound = bound;
    }

    JdbcSession withBound(Duration other) {
        if (other.isNegative() || other.isZero()) {
            throw new IllegalArgumentException("The access bound must be positive, not " + other);
        }
        return new JdbcSession(dataSource, other);
    }

    /** Of which product, as far as it is known: with a word before it, or empty. */
    String product() {
        return product;
    }

    <T> T run(Work<T> work) throws SQLException, IOException {
        try (Connection connection = dataSource.getConnection();
                Restored restored = new Restored(connection)) {
            restored.prepare();
            return work.on(connection);
        }
    }

    PreparedStatement prepare(Connection connection, String sql, String... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            limit(statement);
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    private void limit(Statement statement) throws SQLException {
        if (bound != null) {
            statement.setQueryTimeout(seconds());
        }
    }

    private int seconds() {
        Duration limit = Objects.requireNonNull(bound);
        return (int) Math.min(
                Integer.MAX_VALUE / MILLIS - 1, limit.plusNanos(999_999_999).toSeconds());
    }

    /** @throws IOException saying what is wrong and what to do */
    void check(JdbcTable table, boolean initialize) throws IOException {
        try (Connection connection = dataSource.getConnection();
                Restored restored = new Restored(connection)) {
            restored.prepare();
            product = " of " + connection.getMetaData().getDatabaseProductName();
            int isolation = connection.getTransactionIsolation();
            if (isolation < Connection.TRANSACTION_READ_COMMITTED) {
                throw new IOException(
                        "Connections for the %s read what is not committed: set the data source's transaction isolation to 'read committed'"
                                .formatted(table.describe()));
            }
            checkTable(connection, table, initialize);
        } catch (SQLException e) {
            throw new IOException(
                    "Cannot reach the database of the %s: %s; check the data source's URL, user and password"
                            .formatted(table.describe(), Printable.text(e.getMessage())),
                    e);
        }
    }

    private void checkTable(Connection connection, JdbcTable table, boolean initialize) throws IOException {
        SQLException unread = failure(connection, table.readProbe());
        if (unread != null && initialize) {
            SQLException uncreated = failure(connection, table.create());
            unread = failure(connection, table.readProbe());
            if (unread != null && uncreated != null) {
                throw new IOException(
                        "Cannot create the %s: %s%nLet its owner run:%n%s"
                                .formatted(
                                        table.describe() + product,
                                        Printable.text(uncreated.getMessage()),
                                        table.create()),
                        uncreated);
            }
        }
        if (unread != null) {
            throw new IOException(
                    "Cannot read the %s: %s%nIf it does not exist, create it, or have it created by initializing the schema:%n%s"
                            .formatted(table.describe() + product, Printable.text(unread.getMessage()), table.create()),
                    unread);
        }
        checkWrites(connection, table);
    }

    private void checkWrites(Connection connection, JdbcTable table) throws IOException {
        for (String probe : new String[] {table.updateProbe(), table.insertProbe()}) {
            SQLException unwritten = failure(connection, probe);
            if (unwritten != null) {
                throw new IOException(
                        "Cannot write to the %s: %s; grant select, insert, update and delete, and use a data source of the primary that is not read-only"
                                .formatted(table.describe() + product, Printable.text(unwritten.getMessage())),
                        unwritten);
            }
        }
    }

    private @Nullable SQLException failure(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            limit(statement);
            statement.execute(sql);
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    /** Takes back what was set for the time of one access. */
    private final class Restored implements AutoCloseable {

        private final Connection connection;
        private boolean manualCommit;
        private int networkMillis = -1;

        private Restored(Connection connection) {
            this.connection = connection;
        }

        private void prepare() throws SQLException {
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
                manualCommit = true;
            }
            if (bound != null && limitsNetwork) {
                limitNetwork();
            }
        }

        /** A connection whose other end is gone is not waited for: query timeouts need an answer from there. */
        private void limitNetwork() throws SQLException {
            try {
                int before = connection.getNetworkTimeout();
                connection.setNetworkTimeout(Runnable::run, (seconds() + 1) * MILLIS);
                networkMillis = before;
            } catch (SQLFeatureNotSupportedException e) {
                limitsNetwork = false;
            }
        }

        @Override
        public void close() throws SQLException {
            if (connection.isClosed()) {
                return; // by its driver, after a failure
            }
            if (networkMillis >= 0) {
                connection.setNetworkTimeout(Runnable::run, networkMillis);
            }
            if (manualCommit) {
                connection.setAutoCommit(false);
            }
        }
    }
}
