package io.paxoslease.spring.fencing;

import io.paxoslease.jdbc.internal.JdbcTable;
import io.paxoslease.jdbc.internal.TableCheck;
import io.paxoslease.protocol.Printable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps transactions of a former leader out of a database, by a table with the largest fencing token that was seen for
 * each resource. A process can be stopped between the check that it leads and its write, for longer than its leadership
 * lasts; then its token is smaller than the next leader's, and the database refuses the write.
 *
 * <pre class="code">
 * &#064;Transactional
 * void bill(Order order, long token) {
 *     fence.check("invoices", token); // first: what is read below is not out of date
 *     ...
 * }
 * </pre>
 *
 * <p>The script {@code io/paxoslease/spring/fencing/schema.sql} in this jar creates the table. The database must
 * support {@code select ... for update} and savepoints; every statement runs in the caller's transaction. Thread-safe.
 */
public final class JdbcFence {

    /** The name of the table in {@code schema.sql}. */
    public static final String DEFAULT_TABLE = "paxoslease_fence";

    private static final int MAX_RESOURCE_LENGTH = 255;
    /** Begins the SQL states of rows that are there already. */
    static final String INTEGRITY_VIOLATION = "23";

    private final FencingTables.Table table;
    private final DataSource dataSource;
    private final JdbcOperations jdbc;
    private final String select;
    private final String insert;
    private final String update;

    /** A fence with the default table. Opens no connection. */
    public JdbcFence(DataSource dataSource) {
        this(dataSource, DEFAULT_TABLE);
    }

    /**
     * Opens no connection.
     *
     * @param dataSource the data source of the guarded transactions
     * @param table the name of a table like the one in {@code schema.sql}, optionally with schema and catalog
     * @throws IllegalArgumentException if the table's name is not a plain name
     */
    public JdbcFence(DataSource dataSource, String table) {
        this.dataSource = target(dataSource);
        this.table = new FencingTables.Table(
                this.dataSource,
                new TableCheck(
                        JdbcTable.checked(table),
                        List.of("resource"),
                        List.of("token"),
                        TableCheck.statement(JdbcFence.class, "schema.sql", DEFAULT_TABLE, table)));
        jdbc = new JdbcTemplate(dataSource);
        select = "select token from " + table + " where resource = ? for update";
        insert = "insert into " + table + " (resource, token) values (?, ?)";
        update = "update " + table + " set token = ? where resource = ?";
    }

    FencingTables.Table table() {
        return table;
    }

    /** The data source to which a transaction manager binds its connection. */
    static DataSource target(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? dataSource : target;
    }

    /**
     * Lets the current transaction commit only if no larger token was seen for the resource, and stores this token. An
     * equal token passes: it is the same tenure. The resource's row stays locked until the transaction ends, so
     * transactions that check the same resource run one after the other, and a rollback removes the token again.
     *
     * <p>Call it before the transaction reads the data that its decisions depend on: then the data cannot be out of
     * date. Waits for other transactions that have checked the resource, as long as the database's lock timeout allows.
     *
     * @param resource the name of the role or lock that the token belongs to, up to 255 characters
     * @param token the fencing token, which is positive
     * @throws StaleTokenException if a larger token was seen; the transaction then cannot commit any more
     * @throws IllegalStateException outside a transaction of this fence's data source
     * @throws ConcurrencyFailureException if the database cannot order this transaction and another one, by a deadlock,
     *     a lock timeout or a failed serialization; try again in a new transaction
     */
    public void check(String resource, long token) {
        requireValid(resource, token);
        requireTransaction();
        Long latest = find(resource);
        if (latest == null && !insert(resource, token)) {
            latest = find(resource);
            if (latest == null) {
                throw new ConcurrencyFailureException("Another transaction was the first to use '"
                        + Printable.name(resource) + "', and this one cannot see it: roll back and try again");
            }
        }
        if (latest != null && latest > token) {
            throw refuse(new StaleTokenException(resource, token, latest));
        }
        if (latest != null && latest < token) {
            jdbc.update(update, token, resource);
        }
    }

    private static void requireValid(String resource, long token) {
        if (resource.isBlank() || resource.length() > MAX_RESOURCE_LENGTH) {
            throw new IllegalArgumentException("A resource has 1 to %d characters and is not blank: '%s'"
                    .formatted(MAX_RESOURCE_LENGTH, Printable.name(resource)));
        }
        if (token <= 0) {
            throw new IllegalArgumentException("Fencing tokens are positive, so %d is not one".formatted(token));
        }
    }

    /**
     * Without a transaction the row would be unlocked again before the caller writes, and the fence would not protect
     * it.
     */
    private void requireTransaction() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("A fence protects the writes of one transaction, and none is active: "
                    + "call it in a @Transactional method or a TransactionTemplate, together with the writes");
        }
        if (!TransactionSynchronizationManager.hasResource(dataSource)
                || Boolean.TRUE.equals(jdbc.execute(Connection::getAutoCommit))) {
            throw new IllegalStateException(
                    "The active transaction does not include this fence's DataSource: "
                            + "use the transaction manager of that DataSource, or give the fence the DataSource of the transaction");
        }
    }

    private @Nullable Long find(String resource) {
        return DataAccessUtils.singleResult(jdbc.queryForList(select, Long.class, resource));
    }

    /** Returns false if another transaction has inserted the row. */
    private boolean insert(String resource, long token) {
        ConnectionCallback<Boolean> inserting = connection -> insert(connection, resource, token);
        return Boolean.TRUE.equals(jdbc.execute(inserting));
    }

    /** With a savepoint, which ends with the transaction: on PostgreSQL a failed statement aborts the transaction. */
    private boolean insert(Connection connection, String resource, long token) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setString(1, resource);
            statement.setLong(2, token);
            statement.executeUpdate();
            return true;
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().startsWith(INTEGRITY_VIOLATION)) {
                throw e;
            }
            connection.rollback(before);
            return false;
        }
    }

    /** Makes the transaction fail even if the caller catches the exception. */
    static StaleTokenException refuse(StaleTokenException stale) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throw stale;
            }
        });
        return stale;
    }
}
