package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.jdbc.TableException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is asked of a driver, and what drivers do that those of the tested databases do not. */
class JdbcDriversTest {

    private static final byte[] ONE = {1};
    private static final byte[] TWO = {2};

    private final List<String> asked = new ArrayList<>();
    private @Nullable Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:", "sa", "");
    }

    @AfterEach
    void disconnect() throws SQLException {
        connection().close();
    }

    private Connection connection() {
        return Objects.requireNonNull(connection);
    }

    private JdbcRegister register(OneConnection.Driver driver) {
        return new JdbcRegister(OneConnection.of(connection(), driver));
    }

    private JdbcRegister register() throws IOException {
        JdbcRegister register = register((method, args, real) -> real.call()).withInitializedSchema();
        register.check();
        return register;
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection().createStatement()) {
            statement.execute(sql);
        }
    }

    /** Whole seconds, rounded up; one more for a connection whose other end is gone; and then the pool's own limit again. */
    @Test
    void everyStatementHasATimeLimitAndTheNetworkAnother() throws IOException {
        register();
        OneConnection.Driver driver = (method, args, real) -> {
            if (method.equals("setQueryTimeout")) {
                asked.add("statement " + args[0] + " s");
            } else if (method.equals("setNetworkTimeout")) {
                asked.add("network " + args[1] + " ms");
            } else if (method.equals("getNetworkTimeout")) {
                return 77;
            } else if (method.startsWith("execute")) {
                asked.add("execute");
            }
            return real.call();
        };
        register(driver).withAccessBound(Duration.ofMillis(2_500)).compareAndSet("x", null, ONE);
        assertThat(asked).containsExactly("network 4000 ms", "statement 3 s", "execute", "network 77 ms");
        asked.clear();
        register(driver).withAccessBound(Duration.ofMillis(2_000)).check();
        assertThat(asked)
                .containsExactly(
                        "network 3000 ms",
                        "statement 2 s",
                        "execute",
                        "statement 2 s",
                        "execute",
                        "statement 2 s",
                        "execute",
                        "statement 2 s",
                        "execute",
                        "network 77 ms");
        asked.clear();
        register(driver).read("x");
        assertThat(asked).as("without a bound").containsExactly("execute");
    }

    @Test
    void aDriverWithoutTimeLimitsForTheNetworkIsAskedOnce() throws IOException {
        register();
        Register register = register((method, args, real) -> {
                    if (method.equals("setNetworkTimeout")) {
                        asked.add(method);
                        throw new SQLFeatureNotSupportedException("no such thing");
                    }
                    return real.call();
                })
                .withAccessBound(Duration.ofSeconds(1));
        register.write("x", ONE);
        assertThat(register.read("x")).isEqualTo(ONE);
        assertThat(asked).hasSize(1);
    }

    @Test
    void aStatementThatTakesNoTimeLimitIsClosed() throws IOException {
        register();
        Register register = register((method, args, real) -> {
                    if (method.equals("setQueryTimeout")) {
                        throw new SQLException("no limits here");
                    }
                    if (method.equals("close")) {
                        asked.add(method);
                    }
                    return real.call();
                })
                .withAccessBound(Duration.ofSeconds(1));
        assertThatThrownBy(() -> register.read("x")).hasMessageContaining("no limits here");
        assertThat(asked).as("statement and connection").hasSize(2);
    }

    /** What went wrong is told, and not that the connection cannot be given back as it came. */
    @Test
    void aConnectionThatItsDriverClosedIsLeftAlone() throws IOException, SQLException {
        register();
        connection().setAutoCommit(false);
        Register register = register((method, args, real) -> {
            if (method.equals("executeUpdate")) {
                connection().close();
                throw new SQLException("the connection is gone");
            }
            return real.call();
        });
        assertThatThrownBy(() -> register.write("x", ONE))
                .hasMessageContaining("the connection is gone")
                .satisfies(trouble -> assertThat(
                                Objects.requireNonNull(trouble.getCause()).getSuppressed())
                        .isEmpty());
    }

    /** As MySQL's and MariaDB's do with useAffectedRows. */
    @Test
    void aDriverThatDoesNotCountARowThatWasAsItShouldBeHasWrittenIt() throws IOException {
        register().write("x", ONE);
        Register register = register((method, args, real) -> method.equals("executeUpdate") ? 0 : real.call());
        register.write("x", ONE);
        assertThatThrownBy(() -> register.write("x", TWO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The row 'x' comes and goes");
    }

    @Test
    void aRowThatViolatesSomethingElseThanTheKeyIsAnErrorAndNotARowThatIsThere() throws IOException, SQLException {
        Register register = register();
        execute("alter table paxoslease_register add constraint shorter check (length(content) < 200)");
        assertThat(register.compareAndSet("x", null, ONE)).isTrue();
        assertThat(register.compareAndSet("x", null, TWO)).isFalse();
        assertThatThrownBy(() -> register.compareAndSet("long", null, new byte[200]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot write 'long'");
    }

    /** Both saw that there is none. */
    @Test
    void aTableThatAnotherClientHasJustCreatedIsUsed() throws IOException {
        register();
        List<String> statements = new ArrayList<>();
        register((method, args, real) -> {
                    if (method.equals("execute")) {
                        statements.add(String.valueOf(args[0]));
                        if (statements.size() == 1) {
                            throw new SQLException("no such table");
                        }
                    }
                    return real.call();
                })
                .withInitializedSchema()
                .check();
        assertThat(statements.get(1)).startsWith("create table paxoslease_register");
    }

    @Test
    void aDriverThatKnowsNoTransactionsIsRefused() {
        Register register = register((method, args, real) ->
                method.equals("getTransactionIsolation") ? Connection.TRANSACTION_NONE : real.call());
        assertThatThrownBy(register::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Set the data source's transaction isolation to 'read committed'");
    }

    /** Jepsen reported in 2026 that healthy Galera clusters lose updates. */
    @Test
    void aGaleraClusterIsRefused() {
        for (String version : List.of("8.0.36-28.1 Percona XtraDB Cluster (GPL)", "10.1.48-MariaDB-wsrep_25.24")) {
            assertRefusedOnGalera(on("MariaDB", version, "select 'wsrep_on', 'OFF'"));
        }
        assertRefusedOnGalera(on(
                "MySQL",
                "11.8.2-MariaDB",
                "values ('wsrep_on', 'ON'), ('wsrep_provider', '/usr/lib/galera/libgalera_smm.so')"));
    }

    @Test
    void aServerThatCouldBeInAGaleraClusterAndIsInNoneIsUsed() throws IOException {
        register();
        for (String variables : List.of(
                "select 'x', 'y' where 1 = 0",
                "values ('wsrep_on', 'ON'), ('wsrep_provider', 'none')",
                "values ('wsrep_on', 'OFF'), ('wsrep_provider', '/usr/lib/galera/libgalera_smm.so')",
                "there are no such variables")) {
            on("MariaDB", "11.8.2-MariaDB", variables).check();
        }
    }

    private static void assertRefusedOnGalera(JdbcRegister register) {
        assertThatThrownBy(register::check)
                .isInstanceOf(TableException.class)
                .hasMessageContaining("is in a Galera cluster, where updates of one row can be lost")
                .hasMessageContaining("Keep the table in a database with one primary");
    }

    /** @param variables the query in this database that answers like the one for the server's variables */
    private JdbcRegister on(String product, String version, String variables) {
        return register((method, args, real) -> switch (method) {
            case "getDatabaseProductName" -> product;
            case "getDatabaseProductVersion" -> version;
            case "executeQuery" ->
                args[0].equals("show global variables like 'wsrep_%'")
                        ? connection().createStatement().executeQuery(variables)
                        : real.call();
            default -> real.call();
        });
    }

    @Test
    void onlyDatabasesInMemoryAreInitializedWhereThoseAreAskedFor() throws IOException, SQLException {
        for (String url : List.of("jdbc:postgresql://db/shop", "jdbc:h2:tcp://db/mem:shop", "jdbc:h2:./shop")) {
            JdbcRegister other = register((method, args, real) -> method.equals("getURL") ? url : real.call());
            assertThatThrownBy(other.withInitializedSchema(SchemaInitialization.EMBEDDED)::check)
                    .as(url)
                    .isInstanceOf(TableException.class);
        }
        JdbcRegister inMemory = register((method, args, real) -> real.call());
        assertThatThrownBy(inMemory.withInitializedSchema(SchemaInitialization.NEVER)::check)
                .isInstanceOf(TableException.class);
        inMemory.withInitializedSchema(SchemaInitialization.EMBEDDED).check();
        execute("drop table paxoslease_register");
    }

    @Test
    void aRowThatIsPaddedIsRead() throws IOException, SQLException {
        Register register = register();
        register.write("x", ONE);
        execute("update paxoslease_register set content = content || '   '");
        assertThat(register.read("x")).isEqualTo(ONE);
    }

    @Test
    void whatWasSetStaysSetInAnyOrder() throws IOException, SQLException {
        JdbcRegister plain = register((method, args, real) -> real.call());
        Duration bound = Duration.ofSeconds(1);
        for (JdbcRegister each : List.of(
                plain.withTable("mine").withInitializedSchema().withAccessBound(bound),
                plain.withInitializedSchema().withAccessBound(bound).withTable("mine"),
                plain.withAccessBound(bound).withTable("public.mine").withInitializedSchema())) {
            each.check();
            each.write("x", ONE);
            assertThat(each.describe()).contains("mine of H2");
            execute("drop table mine");
        }
    }
}
