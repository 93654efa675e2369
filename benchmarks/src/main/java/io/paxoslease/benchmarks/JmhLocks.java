package io.paxoslease.benchmarks;

import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Locks of one node of a cell of three over loopback, beside Java's own. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class JmhLocks {

    private static final int CONTENDERS = 4;

    /** A lock that all threads share. */
    @State(Scope.Benchmark)
    public static class Shared {

        private final Lock local = new ReentrantLock();
        private @Nullable LocalCell cell;
        private @Nullable LeaseLocks locks;

        /** Starts the cell. */
        @Setup
        public void start() throws InterruptedException {
            LocalCell started = LocalCell.start();
            cell = started;
            locks = new LeaseLocks(started.node(0), LockOptions.defaults());
        }

        /** Stops it. */
        @TearDown
        public void stop() {
            if (cell != null) {
                cell.close();
            }
        }

        LeaseLock lease(String key) {
            if (locks == null) {
                throw new IllegalStateException("Not started");
            }
            return locks.get(key);
        }
    }

    /** A lock that the thread holds all the time. */
    @State(Scope.Thread)
    public static class Held {

        private @Nullable LeaseLock lock;

        /** Locks it. */
        @Setup
        public void lock(Shared shared) {
            LeaseLock held = shared.lease("held");
            held.lock();
            lock = held;
        }

        /** Unlocks it. */
        @TearDown
        public void unlock() {
            if (lock != null) {
                lock.unlock();
            }
        }
    }

    /** Java's own, by one thread. */
    @Benchmark
    public void reentrantLock(Shared shared) {
        lockAndUnlock(shared.local);
    }

    /** Java's own, by four threads. */
    @Benchmark
    @Threads(CONTENDERS)
    public void reentrantLockContended(Shared shared) {
        lockAndUnlock(shared.local);
    }

    /** Once more, by the thread that holds it. */
    @Benchmark
    public void leaseLockAgain(Held held) {
        if (held.lock != null) {
            lockAndUnlock(held.lock);
        }
    }

    /** By one thread. */
    @Benchmark
    public void leaseLock(Shared shared) {
        lockAndUnlock(shared.lease("one"));
    }

    /** By four threads of the node. */
    @Benchmark
    @Threads(CONTENDERS)
    public void leaseLockContended(Shared shared) {
        lockAndUnlock(shared.lease("many"));
    }

    @SuppressWarnings("LockNotBeforeTry") // Nothing in between can fail.
    private static void lockAndUnlock(Lock lock) {
        lock.lock();
        lock.unlock();
    }
}
