package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.paxoslease.Lease;
import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LeaseSemaphore;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.testing.InMemoryCell;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Calls of {@link Locked} methods on node a, inside a transaction of the caller's. Redisson 2183: a lock that ends with the method lets
 * the next holder read what the transaction has not committed yet.
 */
@Tag("slow")
@Tag("jdk")
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("LockNotBeforeTry") // when a lock is free is what is tested
class LockedTransactionTest {

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final LeaseLocks ours = new LeaseLocks(cell.node("a"), LockOptions.defaults());
    private final LeaseSemaphore imports = new LeaseSemaphore(ours, "imports", 2);
    private final LeaseSemaphore theirImports =
            new LeaseSemaphore(new LeaseLocks(cell.node("b"), LockOptions.defaults()), "imports", 2);
    private final List<String> log = new ArrayList<>();
    private final Transactions manager =
            new Transactions(() -> log.add("commit: " + state()), () -> log.add("rollback: " + state()));
    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withBean(PaxosLease.class, () -> cell.node("a"))
            .withBean(LeaseLocks.class, () -> ours)
            .withBean(Accounts.class);

    @AfterEach
    void close() {
        cell.close();
    }

    private String state() {
        return stateOf("account");
    }

    /** Whether this thread holds the lock. */
    private String stateOf(String key) {
        return ours.get(key).isHeldByCurrentThread() ? "locked" : "free";
    }

    /** Runs the test within a transaction. */
    private void inTransaction(Consumer<Accounts> test) {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, () -> test.accept(accounts));
        });
    }

    private void inTransaction(int propagation, Runnable code) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        template.executeWithoutResult(status -> code.run());
    }

    @Test
    void theLockIsReleasedAfterTheCommit() {
        inTransaction(accounts -> {
            accounts.book(() -> {});
            accounts.book(() -> accounts.book(() -> {}));
            assertThat(state()).isEqualTo("locked");
            assertThatIllegalStateException().isThrownBy(LockedCall::current);
        });
        assertThat(log).containsExactly("commit: locked");
        assertThat(state()).isEqualTo("free");
    }

    @Test
    void theLockIsReleasedAfterTheRollback() {
        assertThatIllegalStateException()
                .isThrownBy(() -> inTransaction(accounts -> accounts.book(() -> {
                    throw new IllegalStateException("of the method");
                })));
        assertThat(log).containsExactly("rollback: locked");
        assertThat(state()).isEqualTo("free");
    }

    /** The thread may hold the lock around the transaction as well. */
    @Test
    void aLockThatIsHeldAroundTheTransactionStays() {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            accounts.book(() -> {
                inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, () -> accounts.book(() -> {}));
                assertThat(state()).isEqualTo("locked");
            });
        });
        assertThat(log).containsExactly("commit: locked");
        assertThat(state()).isEqualTo("free");
    }

    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.PROPAGATION_SUPPORTS, TransactionDefinition.PROPAGATION_NOT_SUPPORTED})
    void withoutATransactionTheLockEndsWithTheCall(int propagation) {
        inTransaction(accounts -> inTransaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED, () -> {
            inTransaction(propagation, () -> accounts.book(() -> {}));
            assertThat(state()).isEqualTo("free");
        }));
    }

    @Test
    void anInnerTransactionReleasesItsOwnLocks() {
        inTransaction(accounts -> {
            accounts.book(() -> {});
            inTransaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {
                accounts.audit();
                assertThat(stateOf("audit")).isEqualTo("locked");
            });
            assertThat(stateOf("audit")).isEqualTo("free");
            assertThat(state()).isEqualTo("locked");
        });
        assertThat(log).containsExactly("commit: locked", "commit: locked");
    }

    /** Of two permits another node has one: a second one for the same transaction would never be granted. */
    @Test
    void aTransactionTakesOnePermitOfAKey() throws InterruptedException {
        Lease theirPermit = theirImports.acquire();
        inTransaction(accounts -> {
            accounts.load(() -> log.add("first"));
            accounts.load(() -> accounts.loadMore(() -> log.add("nested")));
            accounts.loadMore(() -> log.add("of another method"));
            log.add("next: " + tryAcquire(imports));
        });
        assertThat(log).containsExactly("first", "nested", "of another method", "next: false", "commit: free");
        theirPermit.release();
    }

    private static boolean tryAcquire(LeaseSemaphore semaphore) {
        try {
            Lease permit = semaphore.tryAcquire().orElse(null);
            if (permit != null) {
                permit.release();
            }
            return permit != null;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A listener that runs after the completion would wait for the permit of the transaction it follows. */
    @Test
    void whatFollowsTheTransactionFindsItsPermitFree() throws InterruptedException {
        Lease theirPermit = theirImports.acquire();
        inTransaction(accounts -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    accounts.load(() -> log.add("after"));
                }
            });
            accounts.load(() -> log.add("inside"));
        });
        assertThat(log).containsExactly("inside", "commit: free", "after");
        theirPermit.release();
    }

    @Test
    void aCallAfterTheCommitIsReleasedToo() {
        inTransaction(
                accounts -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        accounts.book(() -> log.add("after"));
                    }
                }));
        assertThat(log).containsExactly("commit: free", "after");
        assertThat(state()).isEqualTo("free");
    }

    @Test
    void aLossAfterTheCallRollsTheTransactionBack() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> inTransaction(accounts -> {
                    accounts.book(() -> {});
                    cell.node("a").stop();
                }));
        assertThat(log).containsExactly("rollback: free");
    }

    /** The loss counts also if something in between has caught its exception. */
    @Test
    void aLossDuringTheCallRollsTheTransactionBack() {
        CountDownLatch told = new CountDownLatch(1);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> inTransaction(accounts -> {
                    assertThatExceptionOfType(LeaseLostException.class)
                            .isThrownBy(() -> accounts.book(() -> {
                                LockedCall.current().onLost(told::countDown);
                                cell.node("a").stop();
                                await().until(() -> told.getCount() == 0);
                            }));
                    assertThatExceptionOfType(LeaseLostException.class)
                            .isThrownBy(() -> accounts.book(() -> log.add("without the lock")));
                }));
        assertThat(log).containsExactly("rollback: free");
    }

    @Test
    void aLossDuringTheCommitIsLogged(CapturedOutput output) {
        Transactions losing = new Transactions(() -> cell.node("a").stop(), () -> {});
        runner.run(context -> new TransactionTemplate(losing)
                .executeWithoutResult(status -> context.getBean(Accounts.class).book(() -> {})));
        assertThat(output)
                .contains("A transaction has completed after the lock of its @Locked call was lost: ")
                .contains("The lease of the lock at account ended while it was held");
    }

    /** As a JTA provider may complete a transaction that Spring has not begun. */
    @Test
    void aPermitIsReleasedByAnyThreadAndALockByItsOwn(CapturedOutput output) {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            TransactionSynchronizationManager.initSynchronization();
            TransactionSynchronizationManager.setActualTransactionActive(true);
            try {
                accounts.book(() -> {});
                accounts.load(() -> {});
                List<TransactionSynchronization> registered = TransactionSynchronizationManager.getSynchronizations();
                Thread other = new Thread(() -> TransactionSynchronizationUtils.invokeAfterCompletion(
                        registered, TransactionSynchronization.STATUS_COMMITTED));
                other.start();
                other.join();
            } finally {
                TransactionSynchronizationManager.clear();
            }
            assertThat(tryAcquire(imports)).isTrue();
            assertThat(output).contains("was completed by another thread than");
        });
    }

    static class Accounts {

        @Locked(name = "account", waitFor = "0s")
        void book(Runnable code) {
            code.run();
        }

        @Locked(name = "audit", waitFor = "0s")
        void audit() {}

        @Locked(name = "imports", permits = 2, waitFor = "0s")
        void load(Runnable code) {
            code.run();
        }

        @Locked(name = "imports", permits = 2, waitFor = "0s")
        void loadMore(Runnable code) {
            code.run();
        }
    }

    /** Of one resource, which is told of the ends of its transactions. */
    @SuppressWarnings("serial")
    static class Transactions extends AbstractPlatformTransactionManager {

        private final transient Runnable commit;
        private final transient Runnable rollback;
        private transient @Nullable Object active; // of the test's thread

        Transactions(Runnable commit, Runnable rollback) {
            this.commit = commit;
            this.rollback = rollback;
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected boolean isExistingTransaction(Object transaction) {
            return active != null;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            active = transaction;
        }

        @Override
        protected Object doSuspend(Object transaction) {
            Object suspended = active;
            active = null;
            return suspended == null ? transaction : suspended;
        }

        @Override
        protected void doResume(@Nullable Object transaction, Object suspended) {
            active = suspended;
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            commit.run();
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            rollback.run();
        }

        @Override
        protected void doCleanupAfterCompletion(Object transaction) {
            active = null;
        }
    }
}
