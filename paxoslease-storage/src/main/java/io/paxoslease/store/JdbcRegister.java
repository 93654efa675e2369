package io.paxoslease.store;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.jdbc.internal.JdbcRows;
import io.paxoslease.jdbc.internal.JdbcSession;
import io.paxoslease.jdbc.internal.JdbcTable;
import io.paxoslease.jdbc.internal.RegisterNames;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A table of a database that all clients use. Each register is one row, and each access one statement that commits by itself;
 * the isolation level <em>read committed</em> is enough. Compares and sets: by a digest of the content, which every database
 * compares alike.
 *
 * <p>The table is made by {@code io/paxoslease/jdbc/schema.sql} in this jar, or by {@link #check} when it is
 * {@linkplain #withInitializedSchema asked to}. Every client must reach the primary: a replica that lags answers what is no longer so.
 *
 * <p>Immutable. The data source should be a pool, and none that takes part in the caller's transactions: what is written
 * here must not be rolled back.
 */
public final class JdbcRegister implements Register {

    /** The name of the table in {@code schema.sql}. */
    public static final String DEFAULT_TABLE = JdbcTable.DEFAULT;

    private static final int TRIES = 3;

    private final JdbcSession session;
    private final JdbcTable table;
    private final JdbcRows rows;
    private final SchemaInitialization initialize;

    /** With the default table and without time limits. Opens no connection. */
    public JdbcRegister(DataSource dataSource) {
        this(new JdbcSession(dataSource, null), new JdbcTable(DEFAULT_TABLE), SchemaInitialization.NEVER);
    }

    private JdbcRegister(JdbcSession session, JdbcTable table, SchemaInitialization initialize) {
        this.session = session;
        this.table = table;
        this.rows = new JdbcRows(session, table, initialize);
        this.initialize = initialize;
    }

    /**
     * The same in another table.
     *
     * @param name of a table like the one in {@code schema.sql}, optionally with schema and catalog
     * @throws IllegalArgumentException when that is no plain name
     */
    public JdbcRegister withTable(String name) {
        return new JdbcRegister(session, new JdbcTable(name), initialize);
    }

    /**
     * The same with limits on how long a statement may take: an access that takes longer has failed anyhow, and must not occupy
     * a connection. Rounded up to what drivers know: whole seconds for the statement, and one more for the network.
     *
     * @param bound the access bound of the clients
     */
    public JdbcRegister withAccessBound(Duration bound) {
        return new JdbcRegister(session.withBound(bound), table, initialize);
    }

    /** The same with a {@link #check} that creates the table when it does not exist. */
    public JdbcRegister withInitializedSchema() {
        return withInitializedSchema(SchemaInitialization.ALWAYS);
    }

    /** The same with a {@link #check} that creates the table when it does not exist, in these databases. */
    public JdbcRegister withInitializedSchema(SchemaInitialization databases) {
        return new JdbcRegister(session, table, databases);
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        String key = RegisterNames.key(name);
        return rows.access("read", name, connection -> content(connection, name, key))
                .orElse(null);
    }

    private Optional<byte[]> content(Connection connection, String name, String key) throws SQLException, IOException {
        JdbcRows.Row row = rows.row(connection, key);
        return row == null
                ? Optional.empty()
                : Optional.of(entry(row.content(), place(key)).contentOf(name, place(key)));
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        String key = RegisterNames.key(name);
        String entry = encoded(name, content);
        rows.access("write", name, connection -> {
            for (int i = 0; i < TRIES; i++) {
                if (rows.execute(connection, table.update(), entry, digest(content), key) > 0
                        || rows.insert(connection, key, digest(content), entry)) {
                    return true;
                }
            }
            // There are drivers that do not count a row that was there already as it should be.
            Optional<byte[]> found = content(connection, name, key);
            if (found.isPresent() && Arrays.equals(found.get(), content)) {
                return true;
            }
            throw new IOException("The row '%s' comes and goes".formatted(Printable.name(key)));
        });
    }

    @Override
    public boolean comparesAndSets() {
        return true;
    }

    @Override
    public boolean compareAndSet(String name, byte @Nullable [] expected, byte[] content) throws IOException {
        String key = RegisterNames.key(name);
        String entry = encoded(name, content);
        return rows.access(
                "write",
                name,
                connection -> expected == null
                        ? rows.insert(connection, key, digest(content), entry)
                        : rows.execute(connection, table.replace(), entry, digest(content), key, digest(expected)) > 0);
    }

    @Override
    public boolean listsNames() {
        return true;
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        return rows.access("list", prefix, connection -> {
            String pattern = RegisterNames.keyPrefix(prefix) + "%";
            try (PreparedStatement select = session.prepare(connection, table.list(), pattern);
                    ResultSet found = select.executeQuery()) {
                return names(found, prefix);
            }
        });
    }

    private List<String> names(ResultSet rows, String prefix) throws SQLException, IOException {
        List<String> names = new ArrayList<>();
        while (rows.next()) {
            String name =
                    entry(rows.getString(1), "A row of the " + table.describe()).name();
            if (name.startsWith(prefix)) { // an underscore in the pattern stands for any character
                names.add(name);
            }
        }
        return names;
    }

    @Override
    public void delete(String name) throws IOException {
        String key = RegisterNames.key(name);
        rows.access("delete", name, connection -> rows.execute(connection, table.delete(), key));
    }

    /** Sees whether the table can be read and written, and creates it where that is wanted. */
    @Override
    public void check() throws IOException {
        rows.check();
    }

    @Override
    public String describe() {
        return rows.describe();
    }

    private String encoded(String name, byte[] content) {
        return Base64.getEncoder().encodeToString(new Entry(name, content).encode());
    }

    private Entry entry(String text, String place) throws IOException {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(text.strip());
        } catch (IllegalArgumentException e) {
            bytes = new byte[0];
        }
        return Entry.decode(bytes, place);
    }

    private String place(String key) {
        return "The row '%s' of the %s".formatted(key, table.describe());
    }

    private static String digest(byte[] content) {
        return HexFormat.of().formatHex(RegisterNames.sha256(content));
    }
}
