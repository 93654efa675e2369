package io.paxoslease.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** One transaction after the other. {@link FenceDatabase} tells how to run it on another database than H2. */
class JdbcFenceTest {

    private static final String INVOICES = "invoices";

    private final FenceDatabase database = new FenceDatabase();
    private final TransactionTemplate transactions = database.transactions();
    private final JdbcFence fence = new JdbcFence(database.dataSource());

    private void checkAndWrite(long token) {
        transactions.executeWithoutResult(status -> {
            fence.check(INVOICES, token);
            database.write(token);
        });
    }

    @Test
    void tokensThatGrowOrStayPass() {
        checkAndWrite(1);
        checkAndWrite(1);
        checkAndWrite(5);
        checkAndWrite(5);

        assertThat(database.written()).containsExactly(1L, 1L, 5L, 5L);
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices 5");
    }

    @Test
    void aSmallerTokenIsRefusedAndNothingOfItsTransactionStays() {
        checkAndWrite(5);

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                    database.write(4);
                    fence.check(INVOICES, 4);
                }))
                .satisfies(stale -> {
                    assertThat(stale.resource()).isEqualTo(INVOICES);
                    assertThat(stale.token()).isEqualTo(4);
                    assertThat(stale.latestToken()).isEqualTo(5);
                })
                .withMessageContaining("token 4 for 'invoices' is too old: 5 was seen");

        assertThat(database.written()).containsExactly(5L);
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices 5");
    }

    @Test
    void aTransactionThatCatchesTheRefusalCannotCommit() {
        checkAndWrite(5);

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                    assertThat(catchThrowable(() -> fence.check(INVOICES, 4))).isInstanceOf(StaleTokenException.class);
                    database.write(4);
                }));

        assertThat(database.written()).containsExactly(5L);
    }

    @Test
    void everyResourceHasItsOwnTokens() {
        checkAndWrite(5);
        transactions.executeWithoutResult(status -> {
            fence.check(INVOICES, 5);
            fence.check("payments", 3);
        });

        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices 5", "payments 3");
    }

    @Test
    void aRollbackTakesTheTokenBack() {
        transactions.executeWithoutResult(status -> {
            fence.check(INVOICES, 3);
            status.setRollbackOnly();
        });
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).isEmpty();

        checkAndWrite(1);
        transactions.executeWithoutResult(status -> {
            fence.check(INVOICES, 3);
            status.setRollbackOnly();
        });
        checkAndWrite(2);
        assertThat(database.written()).containsExactly(1L, 2L);
    }

    @Test
    void aRowThatAMigrationHasInsertedIsRaised() {
        database.insert(INVOICES, 0);

        checkAndWrite(1);

        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices 1");
    }

    @Test
    void theTableCanHaveAnotherName() {
        JdbcFence other = new JdbcFence(database.dataSource(), FenceDatabase.OTHER_TABLE);

        transactions.executeWithoutResult(status -> other.check(INVOICES, 7));
        transactions.executeWithoutResult(status -> other.check(INVOICES, 8));

        assertThat(database.latest(FenceDatabase.OTHER_TABLE)).containsExactly("invoices 8");
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).isEmpty();
    }

    @Test
    void theSchemaCanBeRunAgain() {
        checkAndWrite(5);
        database.runSchema();

        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices 5");
    }

    @Test
    void withoutATransactionItRefuses() {
        assertThatIllegalStateException()
                .isThrownBy(() -> fence.check(INVOICES, 1))
                .withMessageContaining("none is active")
                .withMessageContaining("@Transactional");

        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).isEmpty();
    }

    @Test
    void inATransactionOfAnotherDataSourceItRefuses() {
        JdbcFence elsewhere =
                new JdbcFence(new DriverManagerDataSource("jdbc:h2:mem:elsewhere;DB_CLOSE_DELAY=-1", "sa", ""));

        assertThatIllegalStateException()
                .isThrownBy(() -> transactions.executeWithoutResult(status -> elsewhere.check(INVOICES, 1)))
                .withMessageContaining("does not include this fence's DataSource");
    }

    /** As pools can be set up: the connection says nothing then of whose transaction it is in. */
    @Test
    void thatIsSoWithoutAutoCommitToo() {
        SingleConnectionDataSource other =
                new SingleConnectionDataSource("jdbc:h2:mem:elsewhere;DB_CLOSE_DELAY=-1", "sa", "", true);
        other.setAutoCommit(false);
        try {
            JdbcFence elsewhere = new JdbcFence(other);
            assertThatIllegalStateException()
                    .isThrownBy(() -> transactions.executeWithoutResult(status -> elsewhere.check(INVOICES, 1)))
                    .withMessageContaining("does not include this fence's DataSource");
        } finally {
            other.destroy();
        }
    }

    @Test
    void aProxyOfTheDataSourceIsTheSame() {
        JdbcFence behindProxy = new JdbcFence(new TransactionAwareDataSourceProxy(database.dataSource()));
        transactions.executeWithoutResult(status -> behindProxy.check(INVOICES, 7));
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly(INVOICES + " 7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1a",
                "a b",
                "a;drop table a",
                "a.b.c.d",
                "\"a\"",
                "a.",
                ".a",
                "a'",
                "a-b",
                "a\n",
                "of64_567890123456789012345678901234567890123456789012345678901234"
            })
    void aTableNameThatIsNoPlainNameIsRefused(String table) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JdbcFence(database.dataSource(), table))
                .withMessageContaining("is no table name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fence", "_f1", "billing.fence", "db.billing.FENCE"})
    void aPlainTableNameIsTaken(String table) {
        assertThat(new JdbcFence(database.dataSource(), table)).isNotNull();
    }

    @Test
    void whatIsNoTokenOrNoResourceIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> fence.check(INVOICES, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> fence.check(INVOICES, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> fence.check(" ", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> fence.check("a".repeat(256), 1));
    }

    @Test
    void theLongestResourceFits() {
        transactions.executeWithoutResult(status -> fence.check("a".repeat(255), 1));

        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("a".repeat(255) + " 1");
    }
}
