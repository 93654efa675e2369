package io.paxoslease.spring.fencing;

import io.paxoslease.jdbc.internal.JdbcTable;
import io.paxoslease.jdbc.internal.TableCheck;
import io.paxoslease.spring.runs.RunLog;
import io.paxoslease.spring.runs.ScheduledRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers the runs of scheduled methods in a database: a slot that is finished is not run again, whatever crashes. One row
 * for each method has its latest slot, the fencing token of the leader that began it, and whether it is finished; a leader with
 * a smaller token can neither begin a run nor finish one.
 *
 * <p>A run that crashes in the middle is begun again by the next leader. To have the effects of a slot once, finish it in the
 * transaction that makes them:
 *
 * <pre class="code">
 * &#064;Transactional
 * void bill() {
 *     runs.finish(ScheduledRun.current().orElseThrow()); // refused if a later leader has begun a run
 *     ...
 * }
 * </pre>
 *
 * <p>The script {@code io/paxoslease/spring/fencing/runs.sql} in this jar creates the table. The database must support
 * {@code select ... for update}. Thread-safe.
 */
public final class JdbcRuns implements RunLog {

    /** The name of the table in {@code runs.sql}. */
    public static final String DEFAULT_TABLE = "paxoslease_runs";

    private static final String KEY = " where cell_name = ? and role_name = ? and task_name = ?";

    /** Longer than any statement here takes, unless another transaction has the row. */
    private static final int TIMEOUT_SECONDS = 10;

    /** By method: the run that a transaction has finished, if it has committed. */
    private final Map<List<String>, ScheduledRun> inTransactions = new ConcurrentHashMap<>();
    /** By method: the run of which it is not known whether its beginning was recorded. */
    private final Map<List<String>, ScheduledRun> uncertain = new ConcurrentHashMap<>();

    private final FencingTables.Table table;
    private final DataSource dataSource;
    private final JdbcTemplate jdbc;
    private final String select;
    private final String insert;
    private final String update;

    /** A log in the default table. Opens no connection. */
    public JdbcRuns(DataSource dataSource) {
        this(dataSource, DEFAULT_TABLE);
    }

    /**
     * Opens no connection.
     *
     * @param dataSource that of the transactions that finish runs, if there are such
     * @param table the name of a table like the one in {@code runs.sql}, optionally with schema and catalog
     * @throws IllegalArgumentException if the table's name is not a plain name
     */
    public JdbcRuns(DataSource dataSource, String table) {
        String name = JdbcTable.checked(table);
        this.dataSource = JdbcFence.target(dataSource);
        this.table = new FencingTables.Table(
                this.dataSource,
                new TableCheck(
                        name,
                        List.of("cell_name", "role_name", "task_name"),
                        List.of("slot", "token", "finished"),
                        TableCheck.statement(JdbcRuns.class, "runs.sql", DEFAULT_TABLE, name)));
        jdbc = new JdbcTemplate(this.dataSource);
        select = "select slot, token, finished from " + name + KEY + " for update";
        insert = "insert into " + name
                + " (slot, token, finished, cell_name, role_name, task_name) values (?, ?, ?, ?, ?, ?)";
        update = "update " + name + " set slot = ?, token = ?, finished = ?" + KEY;
    }

    FencingTables.Table table() {
        return table;
    }

    /**
     * {@inheritDoc} In a transaction of its own.
     *
     * @throws StaleTokenException if a larger token was seen
     * @throws DataAccessException if the database cannot be asked
     */
    @Override
    public boolean isMissed(ScheduledRun run) {
        return inOwnTransaction(connection -> {
            Row row = find(connection, run);
            if (row == null) {
                insert(connection, run, true);
                return false;
            }
            return mayBegin(row, run);
        });
    }

    /** A beginning whose commit was not confirmed may be recorded, and the run has not begun. */
    private boolean mayBegin(Row row, ScheduledRun run) {
        return row.mayBegin(run) || (row.isOf(run) && !row.finished() && run.equals(uncertain.get(methodOf(run))));
    }

    private static List<String> methodOf(ScheduledRun run) {
        return List.of(run.cell(), run.role(), run.task());
    }

    /**
     * {@inheritDoc} In a transaction of its own.
     *
     * @throws StaleTokenException if a larger token was seen
     * @throws DataAccessException if the database cannot be asked
     */
    @Override
    public boolean begin(ScheduledRun run) {
        try {
            boolean begins = tryToBegin(run);
            uncertain.remove(methodOf(run));
            return begins;
        } catch (DataAccessException e) {
            if (!(e instanceof ConcurrencyFailureException)) { // after which the transaction is rolled back for certain
                uncertain.put(methodOf(run), run);
            }
            throw e;
        }
    }

    private boolean tryToBegin(ScheduledRun run) {
        return inOwnTransaction(connection -> {
            Row row = find(connection, run);
            if (row == null) {
                insert(connection, run, false);
                return true;
            }
            boolean begins = mayBegin(row, run);
            if (begins) {
                write(connection, update, new Row(run.slot(), run.token(), false), run);
            }
            return begins;
        });
    }

    /**
     * {@inheritDoc} In the current transaction of this data source, if there is one: then the run is finished if and when that
     * commits, and a later call for this run outside of a transaction changes nothing. Until it ends the row stays locked, and a
     * later leader waits for it.
     *
     * @throws StaleTokenException if a larger token was seen; the transaction then cannot commit any more
     * @throws IllegalStateException if this run was not begun, or a later slot was
     * @throws DataAccessException if the database cannot be asked
     */
    @Override
    public void finish(ScheduledRun run) {
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(dataSource)) {
            ConnectionCallback<Boolean> finishing = connection -> finish(connection, run);
            try {
                jdbc.execute(finishing);
                inTransactions.put(methodOf(run), run);
            } catch (StaleTokenException stale) {
                throw JdbcFence.refuse(stale);
            }
        } else if (!inTransactions.remove(methodOf(run), run)) {
            inOwnTransaction(connection -> finish(connection, run));
        }
    }

    private boolean finish(Connection connection, ScheduledRun run) throws SQLException {
        Row row = find(connection, run);
        if (row == null || !row.isOf(run)) {
            throw new IllegalStateException("There is no such run that has begun: " + run);
        }
        write(connection, update, new Row(run.slot(), run.token(), true), run);
        return true;
    }

    /** @throws StaleTokenException if a larger token was seen */
    private @Nullable Row find(Connection connection, ScheduledRun run) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            setKey(statement, 1, run);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return null;
                }
                Row row = new Row(Instant.ofEpochSecond(rows.getLong(1)), rows.getLong(2), rows.getBoolean(3));
                if (row.token() > run.token()) {
                    throw new StaleTokenException(run.role(), run.token(), row.token());
                }
                return row;
            }
        }
    }

    private void insert(Connection connection, ScheduledRun run, boolean finished) throws SQLException {
        try {
            write(connection, insert, new Row(run.slot(), run.token(), finished), run);
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith(JdbcFence.INTEGRITY_VIOLATION)) {
                throw new ConcurrencyFailureException("Another leader was the first to record a run: " + run, e);
            }
            throw e;
        }
    }

    private static void write(Connection connection, String sql, Row row, ScheduledRun run) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            statement.setLong(1, row.slot().getEpochSecond());
            statement.setLong(2, row.token());
            statement.setBoolean(3, row.finished());
            setKey(statement, 4, run);
            statement.executeUpdate();
        }
    }

    private static void setKey(PreparedStatement statement, int from, ScheduledRun run) throws SQLException {
        statement.setString(from, run.cell());
        statement.setString(from + 1, run.role());
        statement.setString(from + 2, run.task());
    }

    /** Whatever transaction the caller has: that a run has begun must not be rolled back with it. */
    private boolean inOwnTransaction(Work work) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                boolean result = work.on(connection);
                connection.commit();
                done = true;
                return result;
            } finally {
                if (!done) {
                    connection.rollback();
                }
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            DataAccessException known = jdbc.getExceptionTranslator().translate("record a run", select, e);
            throw known != null ? known : new UncategorizedSQLException("record a run", select, e);
        }
    }

    private interface Work {

        boolean on(Connection connection) throws SQLException;
    }

    /** What is known of the latest run of a method. */
    private record Row(Instant slot, long token, boolean finished) {

        boolean isOf(ScheduledRun run) {
            return slot.equals(run.slot()) && token == run.token();
        }

        /** A run that this leader has begun and not finished is under way, or its end could not be recorded. */
        boolean mayBegin(ScheduledRun run) {
            int order = run.slot().compareTo(slot);
            return order > 0 || (order == 0 && !finished && token < run.token());
        }
    }
}
