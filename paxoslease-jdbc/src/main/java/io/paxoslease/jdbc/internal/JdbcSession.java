package io.paxoslease.jdbc.internal;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections that commit every statement by itself, and go back to their pool as they came. Thread-safe. */
public final class JdbcSession {

    /** What is done with a connection. */
    public interface Work<T> {
        T on(Connection connection) throws SQLException, IOException;
    }

    private static final int MILLIS = 1_000;

    private final DataSource dataSource;
    private final @Nullable Duration bound;
    private volatile boolean limitsNetwork = true;
    private volatile String product = "";

    /** @param bound null: statements take as long as they take */
    public JdbcSession(DataSource dataSource, @Nullable Duration bound) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.bound = bound;
    }

    public JdbcSession withBound(Duration other) {
        if (other.isNegative() || other.isZero()) {
            throw new IllegalArgumentException("The access bound must be positive, not " + other);
        }
        return new JdbcSession(dataSource, other);
    }

    /** Of which product, as far as it is known: with a word before it, or empty. */
    public String product() {
        return product;
    }

    public <T> T run(Work<T> work) throws SQLException, IOException {
        try (Connection connection = dataSource.getConnection();
                Restored restored = new Restored(connection)) {
            restored.prepare();
            return work.on(connection);
        }
    }

    public PreparedStatement prepare(Connection connection, String sql, String... values) throws SQLException {
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

    /**
     * Answers what a crash of the database may undo.
     *
     * @throws IOException saying what is wrong and what to do
     */
    public List<Durability.Loss> check(TableCheck table, SchemaInitialization initialize) throws IOException {
        try (Connection connection = dataSource.getConnection();
                Restored restored = new Restored(connection)) {
            restored.prepare();
            product = " of " + connection.getMetaData().getDatabaseProductName();
            int seconds = bound == null ? 0 : seconds();
            table.run(connection, initialize, seconds);
            return Durability.losses(connection, table.table(), seconds);
        } catch (SQLException e) {
            throw new IOException(
                    "Cannot reach the database of the table %s: %s; check the data source's URL, user and password"
                            .formatted(table.table(), Printable.text(e.getMessage())),
                    e);
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
