package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.jdbc.TableException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a table keeps in every database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcRegisterContract extends RegisterContract {

    private static final Duration BOUND = Duration.ofMillis(2_500);

    private final JdbcConnectionPool pool;

    /** @param pool is closed after the last test */
    JdbcRegisterContract(JdbcConnectionPool pool) {
        this.pool = pool;
    }

    @AfterAll
    void closePool() {
        pool.dispose();
    }

    DataSource dataSource() {
        return pool;
    }

    @Override
    Register open() {
        return new JdbcRegister(dataSource()).withAccessBound(BOUND).withInitializedSchema();
    }

    @Override
    int repetitions() {
        return 40;
    }

    @Test
    void aTableThatIsMissingIsAnErrorWithWhatCreatesIt() throws IOException, SQLException {
        JdbcRegister register = new JdbcRegister(dataSource()).withTable("leases_of_mine");
        assertThatThrownBy(register::check).isInstanceOfSatisfying(TableException.class, missing -> {
            assertThat(missing).hasMessageStartingWith("Cannot read the table leases_of_mine of ");
            assertThat(missing.getMessage()).doesNotContain("\n", "\\u000a");
            assertThat(missing.action()).contains("'paxoslease.jdbc.initialize-schema=always'");
            assertThatCode(() ->
                            execute(missing.action().substring(missing.action().indexOf("create table"))))
                    .as("can be pasted")
                    .doesNotThrowAnyException();
        });
        register.check();
        register.write("x", bytes("1"));
        assertThat(register.read("x")).isEqualTo(bytes("1"));
        execute("drop table leases_of_mine");
    }

    @Test
    void theSchemaIsInitializedOnceByAll() throws IOException, SQLException {
        for (int i = 0; i < 2; i++) {
            new JdbcRegister(dataSource())
                    .withTable("initialized")
                    .withInitializedSchema()
                    .check();
        }
        execute("drop table initialized");
    }

    @Test
    void aTableOfAnotherShapeIsRefused() throws SQLException {
        execute("create table of_another_shape (name varchar(255), digest varchar(64))");
        assertThatThrownBy(new JdbcRegister(dataSource())
                        .withTable("of_another_shape")
                        .withInitializedSchema()::check)
                .isInstanceOf(TableException.class)
                .hasMessageContaining("The table of_another_shape of ")
                .hasMessageContaining("is another one: it has the columns [name, digest], and not [content]")
                .hasMessageEndingWith("create table of_another_shape (name varchar(255) not null primary key,"
                        + " digest varchar(64) not null, content varchar(6000) not null)");
        execute("drop table of_another_shape");
    }

    @Test
    void theNameOfTheTableIsAPlainName() {
        assertThatThrownBy(() -> new JdbcRegister(dataSource()).withTable("x; drop table y"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no table name");
        String longest = "a".repeat(63);
        assertThatThrownBy(() -> new JdbcRegister(dataSource()).withTable(longest + "." + longest + "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 63 in each part");
        assertThat(new JdbcRegister(dataSource())
                        .withTable(longest + "." + longest)
                        .describe())
                .endsWith(longest);
        for (Duration bound : new Duration[] {Duration.ZERO, Duration.ofMillis(-1)}) {
            assertThatThrownBy(() -> new JdbcRegister(dataSource()).withAccessBound(bound))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be positive");
        }
    }

    @Test
    void aConnectionGoesBackToItsPoolAsItCame() throws IOException, SQLException {
        try (Connection pooled = dataSource().getConnection()) {
            pooled.setAutoCommit(false);
            int network = pooled.getNetworkTimeout();
            Map<String, Integer> calls = new HashMap<>();
            Register register = new JdbcRegister(OneConnection.of(pooled, calls)).withAccessBound(BOUND);
            register.write("pooled", bytes("1"));
            pooled.rollback();
            assertThat(open().read("pooled")).as("committed by itself").isEqualTo(bytes("1"));
            assertThat(register.compareAndSet("pooled", bytes("1"), bytes("2"))).isTrue();
            assertThat(register.read("pooled")).isEqualTo(bytes("2"));
            assertThat(pooled.getAutoCommit()).isFalse();
            assertThat(pooled.getNetworkTimeout()).isEqualTo(network);
            assertThat(calls).containsEntry("prepareStatement", 4).containsEntry("getConnection", 3);
            assertThat(calls).as("statements and connections").containsEntry("close", 4 + 3);
            pooled.rollback();
        }
    }

    @Test
    void accessesAreOneStatementEach() throws IOException, SQLException {
        Register warm = open();
        warm.write("counted", bytes("1"));
        try (Connection connection = dataSource().getConnection()) {
            Map<String, Integer> calls = new HashMap<>();
            Register register = new JdbcRegister(OneConnection.of(connection, calls)).withAccessBound(BOUND);
            register.read("counted");
            register.write("counted", bytes("2"));
            register.compareAndSet("counted", bytes("2"), bytes("3"));
            register.compareAndSet("counted", bytes("2"), bytes("4"));
            assertThat(calls).containsEntry("prepareStatement", 4);
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
