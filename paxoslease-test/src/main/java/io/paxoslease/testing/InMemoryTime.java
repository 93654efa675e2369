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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time of an in-memory cell, and the thread on which everything happens in it: due tasks run in order, then time moves to the
 * next one, but no further than a caller has advanced it.
 */
final class InMemoryTime implements NodeClock {

    /** The first of January 2026. */
    private static final Reading START = new Reading(new Moment(0), 1_767_225_600_000_000L);
    /** How long, in real time, the cell waits for callbacks before it goes on without them. */
    private static final long CALLBACK_WAIT_NANOS = 1_000_000_000;

    private static final long STOP_NANOS = 5_000_000_000L;
    /** Longer than any clock is advanced. */
    private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

    private static final AtomicInteger cells = new AtomicInteger();

    private final Thread thread =
            Threads.daemon("paxoslease-cell-" + cells.incrementAndGet()).newThread(this::run);
    /** Held by the thread that moves the clock: one at a time. */
    private final ReentrantLock moving = new ReentrantLock(true);
    /** Guards everything below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition work = lock.newCondition();
    private final Condition progress = lock.newCondition();
    private final TreeSet<InMemoryTask<?>> agenda = new TreeSet<>(InMemoryTask.ORDER);
    private final List<InMemoryCallbacks> callbacks = new ArrayList<>();
    private volatile long now;
    private long target;
    private long entries;
    /** How often nothing was due. */
    private long lulls;
    /** How often, besides, no callback was waited for. */
    private long rests;
    /** How often, besides, the clock was where it was moved to. */
    private long arrivals;

    private long callbackWaitNanos = CALLBACK_WAIT_NANOS;
    /** The clock goes on by itself up to here. */
    private long earliest;

    private volatile boolean closed;

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

    /** Until the clock has moved that far, or, if nothing moves it, until as much real time has passed. */
    @Override
    public boolean await(long nanos, Threads.Wait wait) throws InterruptedException {
        if (nanos <= 0) {
            return wait.await(0);
        }
        change(this::doNotWaitForCaller);
        InMemoryTimeout timeout = new InMemoryTimeout();
        InMemoryTask<?> limit = add(timeout, Math.min(nanos, FOREVER_NANOS));
        try {
            return wait.await(nanos);
        } catch (InterruptedException e) {
            if (timeout.hasCausedIt()) {
                return wait.await(0);
            }
            throw e;
        } finally {
            limit.cancel(false);
            timeout.end();
        }
    }

    /** For what concerns the whole cell. Any thread. */
    InMemoryTask<?> add(Runnable code, long delayNanos) {
        InMemoryTask<?> task = new InMemoryTask<>(this, null, Executors.callable(code), 0);
        add(task, delayNanos);
        return task;
    }

    /** Any thread. */
    void add(InMemoryTask<?> task, long delayNanos) {
        change(() -> {
            task.enter(now + delayNanos, entries++);
            agenda.add(task);
        });
    }

    /** A task that was taken out keeps its place. */
    void putBack(InMemoryTask<?> task) {
        change(() -> agenda.add(task));
    }

    void remove(InMemoryTask<?> task) {
        change(() -> agenda.remove(task));
    }

    /** Any thread; any but the cell's own gets back when nothing is due any more. */
    void hand(InMemoryTask<?> task) {
        change(() -> {
            add(task, 0);
            long before = lulls;
            awaitProgress(() -> Thread.currentThread() == thread || lulls != before);
        });
    }

    /** Runs it on the cell's thread, and returns when nothing is due any more and callbacks have run. */
    void call(Runnable code) {
        refuseOwnThread();
        change(() -> {
            doNotWaitForCaller();
            add(code, 0);
            long before = rests;
            awaitProgress(() -> rests != before);
        });
    }

    /** Moves the clock, and returns when nothing is due any more at that time, and callbacks have run. */
    void advance(long nanos) {
        refuseOwnThread();
        change(this::doNotWaitForCaller);
        moving.lock();
        try {
            change(() -> {
                checkOpen();
                target = now + nanos;
                work.signal();
                long before = arrivals;
                awaitProgress(() -> arrivals != before);
                checkOpen();
            });
        } finally {
            moving.unlock();
        }
    }

    private void awaitProgress(BooleanSupplier done) {
        while (!closed && !done.getAsBoolean()) {
            progress.awaitUninterruptibly();
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
        progress.signalAll();
        if (callbacks.stream().anyMatch(InMemoryCallbacks::isWaitedFor)) {
            awaitCallbacks();
            return;
        }
        rests++;
        callbackWaitNanos = CALLBACK_WAIT_NANOS;
        if (now < target) {
            moveTowards(target, next);
        } else {
            arrivals++;
            work.awaitUninterruptibly();
        }
    }

    private void moveTowards(long time, @Nullable InMemoryTask<?> next) {
        now = next == null ? time : Math.min(time, next.due());
    }

    @SuppressWarnings("WaitNotInLoop") // the loop is in next()
    private void awaitCallbacks() {
        try {
            callbackWaitNanos = work.awaitNanos(callbackWaitNanos);
        } catch (InterruptedException e) {
            return; // by a user's predicate: it means nothing here
        }
        if (callbackWaitNanos <= 0) {
            callbacks.forEach(InMemoryCallbacks::waitNoMore);
        }
    }

    void register(InMemoryCallbacks begun) {
        change(() -> callbacks.add(begun));
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

    /** On the cell's thread: once nothing is due, the clock moves past that ballot counter (wall clock, microseconds): the next is higher. */
    void pass(long counter) {
        earliest = Math.max(earliest, (counter + 1 - START.wallMicros()) * 1_000);
    }

    /** Called in a change: a callback has ended, so the others may end too. */
    void waitForCallbacksAgain() {
        callbackWaitNanos = CALLBACK_WAIT_NANOS;
    }

    /** Called in a change: a callback that waits for the cell cannot be waited for. */
    private void doNotWaitForCaller() {
        callbacks.stream().filter(InMemoryCallbacks::isCurrentThread).forEach(InMemoryCallbacks::waitNoMore);
    }

    private void refuseOwnThread() {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException(
                    "This is the thread that runs the cell, which cannot wait for itself: call it from another thread");
        }
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("This in-memory cell is closed: make a new one for each test");
        }
    }

    private void end() {
        change(() -> {
            closed = true;
            progress.signalAll();
        });
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
