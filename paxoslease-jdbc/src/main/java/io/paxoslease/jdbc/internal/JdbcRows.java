package io.paxoslease.jdbc.internal;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows of a table like that of {@code schema.sql}, each replaced by one statement that commits by itself, if it still is as it was read.
 * Thread-safe.
 */
public final class JdbcRows {

    /** The longest content that the table takes, in characters. */
    public static final int MAX_LENGTH = 6_000;

    private static final Logger log = LoggerFactory.getLogger(JdbcRows.class);
    private static final String INTEGRITY_VIOLATION = "23";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final JdbcSession session;
    private final JdbcTable table;
    private final SchemaInitialization initialize;
    private volatile boolean isChecked;

    /**
     * One row, as it was read.
     *
     * @param content what it holds
     * @param digest which content it is
     */
    public record Row(String content, String digest) {}

    /**
     * Statements take as long as they take, up to 10 s. Opens no connection.
     *
     * @param table its name, optionally with schema and catalog
     * @param initialize in which databases the first access creates the table when it does not exist
     * @throws IllegalArgumentException when that is no plain name
     */
    public JdbcRows(DataSource dataSource, String table, SchemaInitialization initialize) {
        this(new JdbcSession(dataSource, PATIENCE), new JdbcTable(table), initialize);
    }

    public JdbcRows(JdbcSession session, JdbcTable table, SchemaInitialization initialize) {
        this.session = session;
        this.table = table;
        this.initialize = initialize;
    }

    /** What is in the row of that name; null when there is none. */
    public @Nullable Row read(String name) throws IOException {
        String key = RegisterNames.key(name);
        return checked()
                .access("read", name, connection -> Optional.ofNullable(row(connection, key)))
                .orElse(null);
    }

    /** Inserts a row; answers false when there is one of that name already. */
    public boolean insert(String name, String content) throws IOException {
        String key = RegisterNames.key(name);
        return checked().access("write", name, connection -> insert(connection, key, digest(content), content));
    }

    /** Replaces what was read; answers false when that is not there any more. */
    public boolean replace(String name, Row found, String content) throws IOException {
        String key = RegisterNames.key(name);
        return checked()
                .access(
                        "write",
                        name,
                        connection ->
                                execute(connection, table.replace(), content, digest(content), key, found.digest())
                                        > 0);
    }

    /** What and where it is; of which product, once it is known. */
    public String describe() {
        return table.describe() + session.product();
    }

    private JdbcRows checked() throws IOException {
        if (!isChecked) {
            check();
            isChecked = true;
        }
        return this;
    }

    /**
     * Sees whether the table can be read and written, and creates it where that is wanted. Warns if a crash of the database can
     * undo what it has committed.
     */
    public void check() throws IOException {
        List<Durability.Loss> losses = session.check(table.check(), initialize);
        if (!losses.isEmpty()) {
            log.warn(
                    "A crash of its database can undo the latest commits to the {}: {}. After such a crash two clients may hold one lease, and fencing tokens may repeat. {}",
                    Printable.text(describe()),
                    Printable.text(losses.stream().map(Durability.Loss::reason).collect(Collectors.joining("; "))),
                    Printable.text(losses.stream().map(Durability.Loss::action).collect(Collectors.joining(" "))));
        }
    }

    public <T> T access(String verb, String name, JdbcSession.Work<T> work) throws IOException {
        try {
            return session.run(work);
        } catch (SQLException e) {
            throw new IOException(
                    "Cannot %s '%s' in the %s: %s"
                            .formatted(verb, Printable.name(name), describe(), Printable.text(e.getMessage())),
                    e);
        }
    }

    public @Nullable Row row(Connection connection, String key) throws SQLException {
        try (PreparedStatement select = session.prepare(connection, table.select(), key);
                ResultSet row = select.executeQuery()) {
            return row.next() ? new Row(row.getString(1), row.getString(2)) : null;
        }
    }

    public int execute(Connection connection, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = session.prepare(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** Answers false when there is a row already. */
    public boolean insert(Connection connection, String key, String digest, String content) throws SQLException {
        try {
            return execute(connection, table.insert(), key, digest, content) > 0;
        } catch (SQLException e) {
            String state = e.getSQLState();
            if (state != null && state.startsWith(INTEGRITY_VIOLATION) && row(connection, key) != null) {
                return false; // a violation may be of another constraint than the key's
            }
            throw e;
        }
    }

    private static String digest(String content) {
        return HexFormat.of().formatHex(RegisterNames.sha256(content.getBytes(StandardCharsets.UTF_8)));
    }
}
