package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.jdbc.RunsPostgres;
import io.paxoslease.jdbc.internal.JdbcRows;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.LogCapture;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGConnectionPoolDataSource;

@Tag("slow")
@ExtendWith(RunsPostgres.class)
class PostgresRegisterTest extends JdbcRegisterContract {

    PostgresRegisterTest() {
        super(JdbcConnectionPool.create(server()));
    }

    private static PGConnectionPoolDataSource server() {
        PGConnectionPoolDataSource server = new PGConnectionPoolDataSource();
        server.setUrl(RunsPostgres.url());
        return server;
    }

    @Test
    void aConnectionThatIsReadOnlyIsRefused() throws SQLException, IOException {
        open().check();
        try (Connection connection = DriverManager.getConnection(RunsPostgres.url());
                var statement = connection.createStatement()) {
            statement.execute("set session characteristics as transaction read only");
            assertThatThrownBy(new JdbcRegister(OneConnection.of(connection))::check)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("use a data source of the primary that is not read-only");
        }
    }

    private static String warning(String synchronousCommit) throws SQLException, IOException {
        String url = RunsPostgres.url() + "&options=-c%20synchronous_commit=" + synchronousCommit;
        try (Connection connection = DriverManager.getConnection(url);
                LogCapture log = LogCapture.of(JdbcRows.class)) {
            new JdbcRegister(OneConnection.of(connection)).withTable("durable").check();
            assertThat(log.lines()).hasSize(1);
            return log.warnings("").get(0);
        }
    }

    /** This server runs with fsync=off, as is told in any case. */
    @Test
    void aServerThatMayForgetWhatItCommittedIsReported() throws SQLException, IOException {
        new JdbcRegister(dataSource())
                .withTable("durable")
                .withInitializedSchema()
                .check();
        assertThat(warning("on"))
                .contains(
                        "can undo the latest commits to the table durable of PostgreSQL: fsync is off. After such a crash"
                                + " two clients may hold one lease, and fencing tokens may repeat. Set fsync = on");
        assertThat(warning("off"))
                .contains("synchronous_commit is off; fsync is off")
                .contains("alter role ... set synchronous_commit = on");
        execute("alter table durable set unlogged");
        assertThat(warning("local"))
                .contains(": fsync is off; the table is unlogged, so a crash empties it.")
                .contains("Run: alter table durable set logged.");
    }

    /** The row is locked by a transaction that does not end. */
    @Test
    void aStatementThatHangsFailsAfterTheBoundAndLeavesNothing()
            throws SQLException, IOException, InterruptedException, ExecutionException {
        Register register =
                new JdbcRegister(dataSource()).withAccessBound(Duration.ofMillis(1)); // rounded up to one second
        open().check();
        register.write("locked", bytes("old"));
        try (Connection holder = dataSource().getConnection();
                var statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("update paxoslease_register set digest = '' where name = 'locked'");
            Background<Boolean> write = Background.start(() -> {
                assertThatThrownBy(() -> register.write("locked", bytes("new")))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("Cannot write 'locked' in the table paxoslease_register");
                return true;
            });
            assertThat(write.result()).isTrue();
            holder.rollback();
        }
        assertThat(register.read("locked")).isEqualTo(bytes("old"));
    }
}
