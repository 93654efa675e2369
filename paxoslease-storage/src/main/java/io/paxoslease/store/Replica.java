package io.paxoslease.store;

import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One of several stores, on threads of its own, and what is known of how it does. Thread-safe. */
final class Replica {

    /** Accesses at a time. Further ones wait, and are dropped when the other stores have answered. */
    static final int THREADS = 8;

    /** So many answers, one after the other, until it counts as missing no more: one that fails now and then is told of once. */
    static final int ANSWERS = 8;

    static final String NO_ANSWER = "no answer";

    private static final long IDLE_SECONDS = 10;
    private static final long MINUTE = 60_000_000_000L;
    private static final Logger log = LoggerFactory.getLogger(ReliableRegister.class);

    final MonotonicRegister register;
    private final String label;
    private final Duration timeout;
    private final LongSupplier nanos;
    private final ThreadPoolExecutor pool;
    private boolean awaited;
    /** When the first access was begun since it answered last; of no meaning while none is awaited. */
    private long silentSince;

    private int silences;
    private int answers;
    private @Nullable String trouble;
    /** People know of the trouble. */
    private boolean told;

    private boolean everTold;
    private long toldAt;

    /**
     * @param label which of them it is, as they are listed
     * @param timeout it hangs when it gives no answer for longer, with something to answer
     * @param nanos the monotonic clock
     */
    Replica(MonotonicRegister register, String label, Duration timeout, LongSupplier nanos) {
        this.register = register;
        this.label = label;
        this.timeout = timeout;
        this.nanos = nanos;
        pool = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Replica::daemon);
        pool.allowCoreThreadTimeOut(true);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "paxoslease-store");
        thread.setDaemon(true);
        return thread;
    }

    /** An access, which is to say how it ended. */
    void execute(Runnable access) {
        begun();
        pool.execute(access);
    }

    /** The others were enough: what has not been begun need not be done any more. */
    void passOver(Runnable access) {
        pool.remove(access);
        passedOver();
    }

    String describe() {
        return register.store().describe();
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
        if (!awaited) {
            awaited = true;
            silentSince = nanos.getAsLong();
        }
    }

    private void ended() {
        awaited = false;
        silences = 0;
    }

    /** However late. */
    void answered() {
        boolean again;
        synchronized (this) {
            ended();
            answers++;
            boolean ends = trouble != null && answers >= ANSWERS;
            trouble = ends ? null : trouble;
            again = ends && told;
            told &= !ends;
        }
        if (again) {
            log.info("A store of a reliable register answers again: {}", Printable.text(label()));
        }
    }

    void failed(String reason) {
        synchronized (this) {
            ended();
        }
        isMissing(reason);
    }

    /** Once is no reason: the machine may have stood still. */
    void passedOver() {
        boolean hangs;
        synchronized (this) {
            boolean silent = awaited && nanos.getAsLong() - silentSince > timeout.toNanos();
            silences += silent ? 1 : 0;
            hangs = silences > 1;
        }
        if (hangs) {
            isMissing(NO_ANSWER);
        }
    }

    /** Told once, until it answers again, and at most once a minute: one that has lost writes fails again for each register. */
    void isMissing(String reason) {
        boolean news;
        synchronized (this) {
            answers = 0;
            trouble = reason;
            long now = nanos.getAsLong();
            news = !told && (!everTold || now - toldAt >= MINUTE);
            if (news) {
                told = true;
                everTold = true;
                toldAt = now;
            }
        }
        if (news) {
            log.warn(
                    "A store of a reliable register fails: {}: {}. The register works as long as a majority of its stores does",
                    Printable.text(label()),
                    Printable.text(reason));
        }
    }
}
