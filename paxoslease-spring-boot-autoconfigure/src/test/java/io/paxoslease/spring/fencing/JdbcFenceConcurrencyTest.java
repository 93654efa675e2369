package io.paxoslease.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Two transactions at a time, and many. */
@Tag("slow")
@Tag("jdk")
@Timeout(60)
class JdbcFenceConcurrencyTest {

    private static final String INVOICES = "invoices";

    private final FenceDatabase database = new FenceDatabase();
    private final TransactionTemplate transactions = database.transactions();
    private final JdbcFence fence = new JdbcFence(database.dataSource());
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endTheThreads() {
        threads.shutdownNow();
    }

    private void checkAndWrite(long token) {
        transactions.executeWithoutResult(status -> {
            fence.check(INVOICES, token);
            database.write(token);
        });
    }

    /** Starts a transaction that checks and writes, and answers when it is waiting for another one. */
    private Future<?> checkInVain(long token) {
        Future<?> second = threads.submit(() -> checkAndWrite(token));
        await().until(() -> database.waiting() == 1);
        assertThat(second).isNotDone();
        return second;
    }

    @Test
    void anOldTokenWaitsForTheNewOneAndIsThenRefused() {
        checkAndWrite(1);

        Future<?> second = transactions.execute(status -> {
            fence.check(INVOICES, 2);
            database.write(2);
            return checkInVain(1);
        });

        assertThat(outcome(second)).isInstanceOf(StaleTokenException.class);
        assertThat(database.written()).containsExactly(1L, 2L);
    }

    @Test
    void aTenureThatChecksTheSameTokenKeepsOthersOutAllTheSame() {
        checkAndWrite(1);

        Future<?> second = transactions.execute(status -> {
            fence.check(INVOICES, 1);
            Future<?> waiting = checkInVain(2);
            database.write(1);
            return waiting;
        });

        assertThat(outcome(second)).isNull();
        assertThat(database.written()).containsExactly(1L, 1L, 2L);
    }

    @Test
    void anOldTokenPassesWhenTheNewOneRollsBack() {
        checkAndWrite(1);

        Future<?> second = transactions.execute(status -> {
            fence.check(INVOICES, 2);
            status.setRollbackOnly();
            return checkInVain(1);
        });

        assertThat(outcome(second)).isNull();
        assertThat(database.written()).containsExactly(1L, 1L);
    }

    @Test
    void whoIsSecondAtTheFirstUseWaitsAndGoesOnInItsTransaction() {
        Future<?> second = transactions.execute(status -> {
            fence.check(INVOICES, 1);
            return checkInVain(2);
        });

        assertThat(outcome(second)).isNull();
        assertThat(database.written()).containsExactly(2L);
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices 2");
    }

    @Test
    void anOldTokenThatIsSecondAtTheFirstUseIsRefused() {
        Future<?> second = transactions.execute(status -> {
            fence.check(INVOICES, 2);
            return checkInVain(1);
        });

        assertThat(outcome(second)).isInstanceOf(StaleTokenException.class);
        assertThat(database.written()).isEmpty();
    }

    @Test
    void whoIsSecondAtTheFirstUseIsFirstWhenTheOtherRollsBack() {
        Future<?> second = transactions.execute(status -> {
            fence.check(INVOICES, 2);
            status.setRollbackOnly();
            return checkInVain(1);
        });

        assertThat(outcome(second)).isNull();
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices 1");
    }

    @Test
    void anOldSnapshotLetsNoOldTokenPass() {
        TransactionTemplate snapshot = database.transactions();
        snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        for (long token = 2; token <= 3; token++) {
            long newToken = token;
            Throwable outcome = outcome(threads.submit(() -> snapshot.executeWithoutResult(status -> {
                database.written();
                assertThat(outcome(threads.submit(() -> checkAndWrite(newToken))))
                        .isNull();
                fence.check(INVOICES, newToken - 1);
            })));

            assertThat(outcome).isInstanceOfAny(StaleTokenException.class, ConcurrencyFailureException.class);
        }
        assertThat(database.written()).containsExactly(2L, 3L);
    }

    @Test
    void ofManyFirstUsesTheCommittedOnesAreInOrderAndTheLargestIsAmongThem() throws InterruptedException {
        int many = 8;
        CountDownLatch ready = new CountDownLatch(many);
        List<Future<?>> all = new ArrayList<>();
        for (long token = many; token > 0; token--) {
            long own = token;
            all.add(threads.submit(() -> {
                ready.countDown();
                ready.await();
                checkUntilItIsDecided(own);
                return null;
            }));
        }

        List<Throwable> outcomes = new ArrayList<>();
        all.forEach(each -> outcomes.add(outcome(each)));

        assertThat(outcomes).allMatch(each -> each == null || each instanceof StaleTokenException);
        assertThat(database.written()).isSorted().endsWith((long) many);
        assertThat(outcomes.stream().filter(each -> each == null))
                .hasSize(database.written().size());
        assertThat(database.latest(JdbcFence.DEFAULT_TABLE)).containsExactly("invoices " + many);
    }

    /** A database may choose a victim where several insert the same row; then it is tried again, as the javadoc says. */
    private void checkUntilItIsDecided(long token) {
        while (true) {
            try {
                checkAndWrite(token);
                return;
            } catch (ConcurrencyFailureException victim) {
                // Again.
            }
        }
    }

    private static @Nullable Throwable outcome(Future<?> transaction) {
        try {
            transaction.get(30, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (Exception e) {
            throw new AssertionError("The transaction did not end", e);
        }
    }
}
