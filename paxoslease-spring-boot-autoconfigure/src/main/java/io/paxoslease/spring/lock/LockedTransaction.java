package io.paxoslease.spring.lock;

import io.paxoslease.LeaseLostException;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.protocol.Printable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks of the {@link Locked} calls inside one transaction: the next holder must see what the transaction wrote, so they are
 * released when it has completed. Calls of one key share a hold. Loaded only where Spring's transactions are on the class path.
 */
final class LockedTransaction implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(Locked.class);

    private record Kind(LeaseLocks locks, String key, int permits) {}

    private final Map<Kind, LockedScope> holds = new LinkedHashMap<>();
    private final Thread owner = Thread.currentThread();

    private LockedTransaction() {}

    /** Whether the current thread is in a transaction whose completion can be awaited. */
    static boolean isActive() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** The locks of the active transaction. One that is suspended has its own. */
    static LockedTransaction current() {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof LockedTransaction known) {
                return known;
            }
        }
        LockedTransaction begun = new LockedTransaction();
        TransactionSynchronizationManager.registerSynchronization(begun);
        TransactionSynchronizationManager.registerSynchronization(new LastCheck(begun));
        return begun;
    }

    /**
     * Takes the lock for one call, unless the transaction has it; null if it was not granted.
     *
     * @throws LeaseLostException if the transaction has had the lock and has lost it
     */
    @Nullable
    LockedScope take(LockedMethod method, LeaseLocks locks, String key) {
        Kind kind = new Kind(locks, key, method.permits());
        LockedScope known = holds.get(kind);
        if (known != null) {
            known.check();
            return known;
        }
        LockedScope taken = method.take(locks, key);
        if (taken != null) {
            taken.outlastCalls();
            holds.put(kind, taken);
        }
        return taken;
    }

    /** Before everything else that follows a transaction and may need the locks. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCompletion(int status) {
        holds.values().forEach(hold -> release(hold, status != STATUS_ROLLED_BACK));
        holds.clear();
    }

    private void release(LockedScope hold, boolean mayHaveEffects) {
        try {
            hold.release();
        } catch (LeaseLostException lost) {
            if (mayHaveEffects) {
                log.warn(
                        "A transaction has completed after the lock of its @Locked call was lost: {}",
                        Printable.text(lost.getMessage()));
            }
        } catch (IllegalMonitorStateException otherThread) {
            log.error(
                    "The transaction of a @Locked call was completed by another thread than {}, which keeps the lock {}",
                    Printable.name(owner.getName()),
                    Printable.name(hold.key()));
        }
    }

    /** Nothing is committed without the lock: after everything else that is done before a commit. */
    private record LastCheck(LockedTransaction transaction) implements TransactionSynchronization {

        @Override
        public void beforeCommit(boolean readOnly) {
            transaction.holds.values().forEach(LockedScope::check);
        }
    }
}
