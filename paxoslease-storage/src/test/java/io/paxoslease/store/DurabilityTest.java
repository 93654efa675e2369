package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.jdbc.internal.JdbcRows;
import io.paxoslease.testing.LogCapture;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases that may forget what they have committed are reported at the start. PostgreSQL: {@link PostgresRegisterTest}. */
class DurabilityTest {

    private static final String FORGETS = "A crash of its database can undo the latest commits to the table";

    private static List<String> warnings(JdbcRegister register) throws IOException {
        try (LogCapture log = LogCapture.of(JdbcRows.class)) {
            register.check();
            return log.warnings(FORGETS);
        }
    }

    private static List<String> warningsOfH2(String url) throws IOException, SQLException {
        try (Connection connection = DriverManager.getConnection(url, "sa", "")) {
            return warnings(new JdbcRegister(OneConnection.of(connection)).withInitializedSchema());
        }
    }

    @Test
    void aFileOfH2ForgetsTheLatestCommitsUnlessItWritesAtOnce(@TempDir Path directory)
            throws IOException, SQLException {
        assertThat(warningsOfH2("jdbc:h2:" + directory.resolve("late")))
                .singleElement()
                .asString()
                .startsWith("WARN")
                .contains("WRITE_DELAY is 500 ms")
                .contains("two clients may hold one lease, and fencing tokens may repeat")
                .contains("Add ';WRITE_DELAY=0' to the URL");
        assertThat(warningsOfH2("jdbc:h2:" + directory.resolve("atonce") + ";WRITE_DELAY=0"))
                .isEmpty();
        assertThat(warningsOfH2("jdbc:h2:mem:durable")).isEmpty();
    }

    /** @param variables the query in H2 that answers like the one for the server's variables */
    private static List<String> warningsOfMySql(String product, String variables) throws IOException, SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:", "sa", "")) {
            return warnings(new JdbcRegister(OneConnection.of(connection, (method, args, real) -> {
                        if (method.equals("getDatabaseProductName")) {
                            return product;
                        }
                        return method.equals("executeQuery")
                                        && String.valueOf(args[0]).contains("innodb_flush_log_at_trx_commit")
                                ? connection.createStatement().executeQuery(variables)
                                : real.call();
                    }))
                    .withInitializedSchema());
        }
    }

    private static String variables(int flush, String log, int sync) {
        return "values ('innodb_flush_log_at_trx_commit', '%d'), ('log_bin', '%s'), ('sync_binlog', '%d')"
                .formatted(flush, log, sync);
    }

    @Test
    void mySqlForgetsTheLatestCommitsUnlessItFlushesItsLogs() throws IOException, SQLException {
        for (int flush : new int[] {0, 2}) {
            assertThat(warningsOfMySql("MySQL", variables(flush, "OFF", 0)))
                    .singleElement()
                    .asString()
                    .contains("of MySQL: innodb_flush_log_at_trx_commit is " + flush)
                    .contains("Set innodb_flush_log_at_trx_commit = 1");
        }
        assertThat(warningsOfMySql("MariaDB", variables(1, "ON", 0)))
                .singleElement()
                .asString()
                .contains("of MariaDB: sync_binlog is 0 and the binary log is on");
        assertThat(warningsOfMySql("MySQL", variables(0, "ON", 100)))
                .singleElement()
                .asString()
                .contains("innodb_flush_log_at_trx_commit is 0; sync_binlog is 100")
                .contains("Set sync_binlog = 1 for the server.");
        for (String durable : List.of(
                variables(1, "ON", 1),
                variables(1, "OFF", 0),
                variables(3, "OFF", 0),
                "select 'x', 'y' where 1 = 0",
                "there are no such variables")) {
            assertThat(warningsOfMySql("MariaDB", durable)).as(durable).isEmpty();
        }
    }
}
