package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.testing.Background;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGConnectionPoolDataSource;

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
