package io.paxoslease.jdbc;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.MembershipText;
import io.paxoslease.jdbc.internal.JdbcRows;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the members of cells in a table of a database that all nodes reach: one row for each cell, with the members as text
 * ({@link MembershipText}). A change is one statement that commits by itself and names what it replaces; the isolation level <em>read
 * committed</em> is enough.
 *
 * <p>The table has the columns of {@code io/paxoslease/jdbc/schema.sql} in this jar, {@code name}, {@code digest} and {@code content}, under
 * a name of its own. Every node must reach the primary: a replica that lags answers with members that are no longer so. The data source must
 * be none that takes part in the caller's transactions: what is written here must not be rolled back.
 *
 * <p>Thread-safe. An access takes as long as a connection takes, and then at most some 10 s.
 */
public final class JdbcMembershipStore implements MembershipStore {

    /** The name of the table unless another one is given. */
    public static final String DEFAULT_TABLE = "paxoslease_membership";

    private final DataSource dataSource;
    private final String cell;
    private final String table;
    private final SchemaInitialization initialize;
    private final JdbcRows rows;

    /**
     * With the default table, which must exist. Opens no connection.
     *
     * @param cell the name of the cell
     */
    public JdbcMembershipStore(DataSource dataSource, String cell) {
        this(dataSource, cell, DEFAULT_TABLE, SchemaInitialization.NEVER);
    }

    private JdbcMembershipStore(DataSource dataSource, String cell, String table, SchemaInitialization initialize) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.cell = Objects.requireNonNull(cell, "cell");
        this.table = table;
        this.initialize = initialize;
        this.rows = new JdbcRows(dataSource, table, initialize);
    }

    /**
     * The same in another table.
     *
     * @param name of the table, optionally with schema and catalog
     * @throws IllegalArgumentException when that is no plain name
     */
    public JdbcMembershipStore withTable(String name) {
        return new JdbcMembershipStore(dataSource, cell, name, initialize);
    }

    /** The same, but the first access creates the table when it does not exist. */
    public JdbcMembershipStore withInitializedSchema() {
        return withInitializedSchema(SchemaInitialization.ALWAYS);
    }

    /** The same, but the first access creates the table when it does not exist, in these databases. */
    public JdbcMembershipStore withInitializedSchema(SchemaInitialization databases) {
        return new JdbcMembershipStore(dataSource, cell, table, databases);
    }

    @Override
    public @Nullable Membership read() throws IOException {
        JdbcRows.Row row = rows.read(cell);
        return row == null ? null : membership(row);
    }

    private Membership membership(JdbcRows.Row row) throws IOException {
        try {
            return MembershipText.parse(cell, row.content());
        } catch (IOException e) {
            throw new IOException(
                    "Cannot understand the %s: %s. Correct the row, or restore it; the nodes that run show the members in their log and at their endpoint"
                            .formatted(describe(), Printable.text(e.getMessage())),
                    e);
        }
    }

    @Override
    public boolean replace(@Nullable Membership expected, Membership next) throws IOException {
        String text = MembershipText.format(cell, next);
        if (text.length() > JdbcRows.MAX_LENGTH) {
            throw new IOException(
                    "Cannot write to the %s: the members take %d characters, and a row has room for %d; keep them in a file or a config map"
                            .formatted(describe(), text.length(), JdbcRows.MAX_LENGTH));
        }
        if (expected == null) {
            return rows.insert(cell, text);
        }
        JdbcRows.Row row = rows.read(cell);
        return row != null && membership(row).equals(expected) && rows.replace(cell, row, text);
    }

    @Override
    public String describe() {
        return "row '%s' of the %s".formatted(cell, rows.describe());
    }
}
