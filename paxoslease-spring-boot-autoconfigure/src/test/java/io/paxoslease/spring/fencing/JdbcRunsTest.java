package io.paxoslease.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.spring.runs.ScheduledRun;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

/** {@link FenceDatabase} tells how to run it on another database than H2. */
class JdbcRunsTest {

    private static final Instant MONDAY = Instant.parse("2026-11-23T03:00:00Z");
    private static final Instant TUESDAY = Instant.parse("2026-11-24T03:00:00Z");

    private final FenceDatabase database = new FenceDatabase();
    private final DataSource dataSource = database.dataSource();
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final TransactionTemplate transactions = database.transactions();
    private final JdbcRuns runs = new JdbcRuns(dataSource);

    JdbcRunsTest() {
        jdbc.execute("drop table if exists " + JdbcRuns.DEFAULT_TABLE);
        runScript();
    }

    private void runScript() {
        new ResourceDatabasePopulator(new ClassPathResource("runs.sql", JdbcRuns.class)).execute(dataSource);
    }

    private static ScheduledRun run(Instant slot, long token) {
        return new ScheduledRun("shop", "reports", "Reports.nightly()", slot, token);
    }

    private List<String> recorded() {
        return jdbc.query("select slot, token, finished from " + JdbcRuns.DEFAULT_TABLE, (row, i) -> "%s %d %s"
                .formatted(Instant.ofEpochSecond(row.getLong(1)), row.getLong(2), row.getBoolean(3)));
    }

    @Test
    void theScriptCanRunAgain() {
        runs.begin(run(MONDAY, 1));
        runScript();
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 false");
    }

    @Test
    void whereNothingIsRecordedNothingWasMissedAndTheNextSlotIs() {
        assertThat(runs.isMissed(run(MONDAY, 1))).isFalse();
        assertThat(runs.isMissed(run(MONDAY, 2))).isFalse();
        assertThat(runs.isMissed(run(TUESDAY, 2))).isTrue();
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 true");
    }

    @Test
    void whereNothingIsRecordedARunThatIsDueBegins() {
        assertThat(runs.begin(run(MONDAY, 1))).isTrue();
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 false");
    }

    @Test
    void aFinishedSlotIsNotRunAgain() {
        runs.begin(run(MONDAY, 1));
        runs.finish(run(MONDAY, 1));
        runs.finish(run(MONDAY, 1));
        for (long token : new long[] {1, 2}) {
            assertThat(runs.isMissed(run(MONDAY, token))).isFalse();
            assertThat(runs.begin(run(MONDAY, token))).isFalse();
        }
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 true");
    }

    @Test
    void aSlotThatIsNotFinishedIsRunByALaterLeaderOnly() {
        runs.begin(run(MONDAY, 1));
        assertThat(runs.isMissed(run(MONDAY, 1))).isFalse();
        assertThat(runs.begin(run(MONDAY, 1))).isFalse();

        assertThat(runs.isMissed(run(MONDAY, 2))).isTrue();
        assertThat(runs.begin(run(MONDAY, 2))).isTrue();
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 2 false");
    }

    @Test
    void aFormerLeaderNeitherBeginsNorFinishesARun() {
        runs.begin(run(MONDAY, 1));
        runs.begin(run(MONDAY, 2));
        ScheduledRun late = run(MONDAY, 1);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> runs.finish(late))
                .withMessageContaining("token 1 for 'reports' is too old: 2 was seen");
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> runs.begin(run(TUESDAY, 1)));
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> runs.isMissed(run(TUESDAY, 1)));
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 2 false");
    }

    @Test
    void aLaterSlotTakesThePlaceOfOneThatIsNotFinished() {
        runs.begin(run(MONDAY, 1));
        assertThat(runs.begin(run(TUESDAY, 1))).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> runs.finish(run(MONDAY, 1)))
                .withMessageContaining("no such run that has begun: Reports.nightly() for 2026-11-23T03:00:00Z");
        assertThat(recorded()).containsExactly("2026-11-24T03:00:00Z 1 false");
    }

    /** Of a leader whose clock is behind. */
    @Test
    void anEarlierSlotIsNeitherMissedNorRun() {
        runs.begin(run(TUESDAY, 1));
        assertThat(runs.isMissed(run(MONDAY, 2))).isFalse();
        assertThat(runs.begin(run(MONDAY, 2))).isFalse();
    }

    @Test
    void cellsRolesAndTasksAreApart() {
        runs.begin(run(MONDAY, 5));
        for (ScheduledRun other : List.of(
                new ScheduledRun("bank", "reports", "Reports.nightly()", MONDAY, 1),
                new ScheduledRun("shop", "billing", "Reports.nightly()", MONDAY, 1),
                new ScheduledRun("shop", "reports", "Reports.weekly()", MONDAY, 1))) {
            assertThat(runs.begin(other)).isTrue();
        }
        assertThat(recorded()).hasSize(4);
    }

    @Test
    void aRunIsFinishedIfAndOnlyIfItsTransactionCommits() {
        runs.begin(run(MONDAY, 1));
        transactions.executeWithoutResult(status -> {
            runs.finish(run(MONDAY, 1));
            status.setRollbackOnly();
        });
        runs.finish(run(MONDAY, 1)); // as after each run; the transaction has decided
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 false");

        transactions.executeWithoutResult(status -> runs.finish(run(MONDAY, 1)));
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 true");
    }

    @Test
    void aTransactionOfAFormerLeaderThatCatchesTheRefusalCannotCommit() {
        runs.begin(run(MONDAY, 1));
        runs.begin(run(MONDAY, 2));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                    database.write(1);
                    assertThat(catchThrowable(() -> runs.finish(run(MONDAY, 1))))
                            .isInstanceOf(StaleTokenException.class);
                }));
        assertThat(database.written()).isEmpty();
    }

    @Test
    void thatARunHasBegunIsNotRolledBackWithTheCallersTransaction() {
        transactions.executeWithoutResult(status -> {
            assertThat(runs.begin(run(MONDAY, 1))).isTrue();
            status.setRollbackOnly();
        });
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 false");
    }

    @Test
    void theDataSourceMayBeAProxyOfTransactions() {
        JdbcRuns proxied = new JdbcRuns(new TransactionAwareDataSourceProxy(dataSource));
        transactions.executeWithoutResult(status -> {
            proxied.begin(run(MONDAY, 1));
            proxied.finish(run(MONDAY, 1));
            status.setRollbackOnly();
        });
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 false");
    }

    @Test
    void connectionsMayComeWithoutAutoCommitAndGoBackAsTheyCame() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            JdbcRuns others = new JdbcRuns(new SingleConnectionDataSource(connection, true));
            others.begin(run(MONDAY, 1));
            others.finish(run(MONDAY, 1));
            assertThat(connection.getAutoCommit()).isFalse();
            connection.rollback();
        }
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 true");
    }

    @Test
    void aRunWhoseBeginningWasNotConfirmedBeginsAgain() {
        AtomicBoolean isLost = new AtomicBoolean(true);
        JdbcRuns others = new JdbcRuns(new DelegatingDataSource(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                return losingConfirmations(super.getConnection(), isLost);
            }
        });
        assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> others.begin(run(MONDAY, 1)));
        assertThat(recorded()).containsExactly("2026-11-23T03:00:00Z 1 false");

        isLost.set(false);
        assertThat(others.isMissed(run(MONDAY, 1))).isTrue();
        assertThat(others.begin(run(MONDAY, 1))).isTrue();
        assertThat(others.begin(run(MONDAY, 1))).isFalse();
    }

    private static Connection losingConfirmations(Connection connection, AtomicBoolean isLost) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(connection, arguments);
                    if (method.getName().equals("commit") && isLost.get()) {
                        throw new SQLException("no answer", "08006");
                    }
                    return result;
                });
    }

    @Test
    void oneOfManyThreadsBeginsARun() throws InterruptedException, ExecutionException {
        int threads = 4;
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Boolean>> begins = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                begins.add(executor.submit(() -> {
                    together.await();
                    try {
                        return runs.begin(run(MONDAY, 1));
                    } catch (ConcurrencyFailureException another) {
                        return false;
                    }
                }));
            }
            int begun = 0;
            for (Future<Boolean> each : begins) {
                begun += each.get() ? 1 : 0;
            }
            assertThat(begun).isEqualTo(1);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void aTableIsNamed() {
        jdbc.execute("drop table if exists other_runs");
        jdbc.execute("create table other_runs as select * from " + JdbcRuns.DEFAULT_TABLE);
        new JdbcRuns(dataSource, "other_runs").begin(run(MONDAY, 1));
        assertThat(recorded()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JdbcRuns(dataSource, "runs; drop table runs"))
                .withMessageContaining("is no table name");
    }

    @Test
    void aDatabaseThatCannotBeAskedSaysSo() {
        JdbcRuns lost = new JdbcRuns(dataSource, "no_such_table");
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> lost.begin(run(MONDAY, 1)))
                .withMessageContainingAll("record a run", "no_such_table");
    }
}
