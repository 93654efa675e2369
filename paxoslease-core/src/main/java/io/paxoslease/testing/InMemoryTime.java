package io.paxoslease.testing;

import io.paxoslease.node.NodeClock;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The time of an in-memory cell, and the thread on which everything happens in it: what is due, in order, then time
 * moves to what is due next, but no further than somebody advanced it.
 */
final class InMemoryTime implements NodeClock {

    /** The first of January 2026. */
    private static final Reading START = new Reading(new Moment(0), 1_767_225_600_000_000L);
    /** How long, in real time, the cell waits for callbacks before it goes on without them. */
    private static final long PATIENCE_NANOS = 1_000_000_000;

    private static final long STOP_NANOS = 5_000_000_000L;
    private static final AtomicInteger cells = new AtomicInteger();

    private final Thread thread =
            Threads.daemon("paxoslease-cell-" + cells.incrementAndGet()).newThread(this::run);
    /** Held by who moves the clock: one at a time. */
    private final ReentrantLock moving = new ReentrantLock(true);
    /** Guards everything below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition work = lock.newCondition();
    private final Condition quiet = lock.newCondition();
    private final Condition arrived = lock.newCondition();
    private final TreeSet<InMemoryTask<?>> agenda = new TreeSet<>(InMemoryTask.ORDER);
    private final List<InMemoryCallbacks> callbacks = new ArrayList<>();
    private volatile long now;
    private long target;
    private long entries;
    /** How often nothing was due. */
    private long lulls;
    /** How often, besides, no callback was waited for. */
    private long rests;

    private long patienceNanos = PATIENCE_NANOS;
    /** The clock goes on by itself up to here. */
    private long earliest;

    private boolean closed;

    void start() {
        thread.start();
    }

    @Override
    public Reading read() {
        return START.plusNanos(now);
    }

    Moment moment(long nanos) {
        return START.moment().plusNanos(nanos);
    }

    /** Any thread. */
    void add(InMemoryTask<?> task, long delayNanos) {
        lock.lock();
        try {
            task.enter(now + delayNanos, entries++);
            putBack(task);
        } finally {
            lock.unlock();
        }
    }

    /** A task that was taken out keeps its place. */
    void putBack(InMemoryTask<?> task) {
        lock.lock();
        try {
            agenda.add(task);
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    void remove(InMemoryTask<?> task) {
        lock.lock();
        try {
            agenda.remove(task);
        } finally {
            lock.unlock();
        }
    }

    /** Any thread; any but the cell's own gets back when nothing is due any more. */
    void hand(InMemoryTask<?> task) {
        lock.lock();
        try {
            add(task, 0);
            long before = lulls;
            while (Thread.currentThread() != thread && lulls == before && !closed) {
                quiet.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs it on the cell's thread, and returns when nothing is due any more and callbacks have run. */
    void call(Runnable code) {
        refuseOwnThread();
        lock.lock();
        try {
            doNotWaitForCaller();
            add(new InMemoryTask<>(this, null, Executors.callable(code), 0), 0);
            long before = rests;
            while (rests == before && !closed) {
                quiet.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Moves the clock, and returns when nothing is due any more at that time, and callbacks have run. */
    void advance(long nanos) {
        refuseOwnThread();
        lock.lock();
        try {
            doNotWaitForCaller();
        } finally {
            lock.unlock();
        }
        moving.lock();
        try {
            moveBy(nanos);
        } finally {
            moving.unlock();
        }
    }

    private void moveBy(long nanos) {
        lock.lock();
        try {
            checkOpen();
            target = now + nanos;
            long before = rests;
            work.signal();
            while ((rests == before || now < target) && !closed) {
                arrived.awaitUninterruptibly();
            }
            checkOpen();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            for (InMemoryTask<?> task = next(); task != null; task = next()) {
                task.run();
            }
        } finally {
            end();
        }
    }

    private @Nullable InMemoryTask<?> next() {
        lock.lock();
        try {
            while (!closed) {
                InMemoryTask<?> first = agenda.isEmpty() ? null : agenda.first();
                if (first == null || first.due() > now) {
                    rest(first);
                } else {
                    agenda.remove(first);
                    if (first.isTaken()) {
                        return first;
                    }
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is due: callbacks may have their turn, then time goes on. */
    @SuppressWarnings("WaitNotInLoop") // the loop is in next()
    private void rest(@Nullable InMemoryTask<?> next) {
        if (now < earliest) {
            target = Math.max(target, earliest);
            moveTowards(earliest, next);
            return;
        }
        lulls++;
        quiet.signalAll();
        if (callbacks.stream().anyMatch(InMemoryCallbacks::isWaitedFor)) {
            awaitCallbacks();
            return;
        }
        rests++;
        patienceNanos = PATIENCE_NANOS;
        if (now < target) {
            moveTowards(target, next);
        } else {
            arrived.signalAll();
            work.awaitUninterruptibly();
        }
    }

    private void moveTowards(long time, @Nullable InMemoryTask<?> next) {
        now = next == null ? time : Math.min(time, next.due());
    }

    @SuppressWarnings("WaitNotInLoop") // the loop is in next()
    private void awaitCallbacks() {
        try {
            patienceNanos = work.awaitNanos(patienceNanos);
        } catch (InterruptedException e) {
            return; // by a user's predicate: it means nothing here
        }
        if (patienceNanos <= 0) {
            callbacks.forEach(InMemoryCallbacks::waitNoMore);
        }
    }

    InMemoryCallbacks newCallbacks(String nodeId) {
        InMemoryCallbacks made = new InMemoryCallbacks(this, nodeId);
        change(() -> callbacks.add(made));
        return made;
    }

    void forget(InMemoryCallbacks ended) {
        change(() -> callbacks.remove(ended));
    }

    /** Changes what {@link #rest} looks at. */
    void change(Runnable code) {
        lock.lock();
        try {
            code.run();
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * On the cell's thread: when nothing is due any more, the clock moves past that ballot counter, which is a wall clock in
     * microseconds, so that the next one is higher.
     */
    void pass(long counter) {
        earliest = Math.max(earliest, (counter + 1 - START.wallMicros()) * 1_000);
    }

    /** Called in a change: a callback has ended, so the others may end too. */
    void renewPatience() {
        patienceNanos = PATIENCE_NANOS;
    }

    /** A callback that waits for the cell cannot be waited for. */
    private void doNotWaitForCaller() {
        callbacks.stream().filter(InMemoryCallbacks::isCurrentThread).forEach(InMemoryCallbacks::waitNoMore);
        work.signal();
    }

    private void refuseOwnThread() {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException(
                    "This is the thread that runs the cell, which cannot wait for itself: call it from another thread");
        }
    }

    void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException("This in-memory cell is closed: make a new one for each test");
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            closed = true;
            work.signalAll();
            quiet.signalAll();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread, and waits for its end. */
    void close() {
        refuseOwnThread();
        end();
        Threads.awaitUninterruptibly(STOP_NANOS, nanos -> {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
            return !thread.isAlive();
        });
    }
}
