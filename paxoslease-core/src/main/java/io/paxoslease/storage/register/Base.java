package io.paxoslease.storage.register;

import io.paxoslease.runtime.Threads;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One of several stores, on threads of its own, and what is known of how it does. Thread-safe. */
final class Base {

    /** Accesses at a time. Further ones wait, and are dropped when the other stores have answered. */
    static final int THREADS = 8;

    /** So many answers, one after the other, until it counts as missing no more: one that fails now and then is told of once. */
    static final int ANSWERS = 8;

    static final String NO_ANSWER = "no answer";

    private static final long IDLE_SECONDS = 10;
    private static final Logger log = LoggerFactory.getLogger(ReliableRegister.class);

    final Rising rising;
    private final String label;
    private final Duration patience;
    private final LongSupplier nanos;
    private final ThreadPoolExecutor pool;
    private int open;
    /** When the first access was begun since it answered last. */
    private long silentSince;

    private int answers;
    private @Nullable String trouble;

    /**
     * @param label which of them it is, as they are listed
     * @param patience it hangs when it gives no answer for longer, with something to answer
     * @param nanos the monotonic clock
     */
    Base(Rising rising, String label, Duration patience, LongSupplier nanos) {
        this.rising = rising;
        this.label = label;
        this.patience = patience;
        this.nanos = nanos;
        pool = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Threads.daemon("paxoslease-store"));
        pool.allowCoreThreadTimeOut(true);
    }

    /** An access, which is to say how it ended. */
    void execute(Runnable access) {
        begun();
        pool.execute(access);
    }

    /** The others were enough: what has not been begun need not be done any more. */
    void passOver(Runnable access) {
        passedOver(pool.remove(access)); // else it is under way
    }

    String describe() {
        return rising.base().describe();
    }

    /** Stores may be described alike. */
    String label() {
        return "%s, %s".formatted(label, describe());
    }

    /** What is wrong with it; null when nothing is known to be. */
    synchronized @Nullable String trouble() {
        return trouble;
    }

    synchronized void begun() {
        if (open == 0) {
            silentSince = nanos.getAsLong();
        }
        open++;
    }

    private void ended() {
        open--;
        silentSince = nanos.getAsLong();
    }

    /** However late. */
    synchronized void answered() {
        ended();
        answers++;
        if (trouble != null && answers >= ANSWERS) {
            trouble = null;
            log.info("A store of a reliable register answers again: {}", label());
        }
    }

    synchronized void failed(String reason) {
        ended();
        isMissing(reason);
    }

    synchronized void passedOver(boolean dropped) {
        if (nanos.getAsLong() - silentSince > patience.toNanos()) {
            isMissing(NO_ANSWER);
        }
        if (dropped) {
            open--;
        }
    }

    /** Told once, until it answers again. */
    synchronized void isMissing(String reason) {
        answers = 0;
        if (trouble == null) {
            log.warn(
                    "A reliable register goes on without one of its stores: {}: {}. See to it before another one fails",
                    label(),
                    reason);
        }
        trouble = reason;
    }
}
